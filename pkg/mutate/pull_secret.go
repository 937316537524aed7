package mutate

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// pullSecret lets a Job that names no pull secret take its image from NVIDIA's
// registry, which asks for a login for most of it.
func pullSecret(in *injection) {
	if in.opt.ImagePullSecret == "" || len(in.pod.ImagePullSecrets) > 0 {
		return
	}
	fromNGC := func(c corev1.Container) bool { return strings.HasPrefix(c.Image, "nvcr.io/") }
	if slices.ContainsFunc(in.pod.Containers, fromNGC) || slices.ContainsFunc(in.pod.InitContainers, fromNGC) {
		in.pod.ImagePullSecrets = []corev1.LocalObjectReference{{Name: in.opt.ImagePullSecret}}
		in.addedToPod("imagePullSecret " + in.opt.ImagePullSecret)
	}
}
