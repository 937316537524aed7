package job

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// containers names the training containers: those of the annotation, else
// those that ask for a GPU or a device claim, else the first.
func (r *reader) containers(pod *corev1.PodSpec) []string {
	if len(pod.Containers) == 0 {
		r.errs = append(r.errs, field.Required(field.NewPath("spec", "template", "spec", "containers"), "a Job needs a container to train in"))
		return nil
	}
	if raw, ok := r.annotations[Containers]; ok {
		return r.named(raw, pod)
	}
	if was := recorded(r.annotations, pod); was != nil {
		return was
	}
	var asking []string
	for i := range pod.Containers {
		if asksForDevice(&pod.Containers[i]) {
			asking = append(asking, pod.Containers[i].Name)
		}
	}
	if len(asking) == 0 {
		return []string{pod.Containers[0].Name}
	}
	return asking
}

func (r *reader) named(raw string, pod *corev1.PodSpec) []string {
	var have, want []string
	for i := range pod.Containers {
		have = append(have, pod.Containers[i].Name)
	}
	for name := range strings.SplitSeq(raw, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(have, name) {
			r.refuse(Containers, "names a container that the pod does not have, want a comma-separated list of %s", strings.Join(have, ", "))
			return have[:1]
		}
		want = append(want, name)
	}
	return slices.DeleteFunc(have, func(name string) bool { return !slices.Contains(want, name) })
}

// asksForDevice tells whether c asks for any nvidia.com resource or claims a
// device through dynamic resource allocation.
func asksForDevice(c *corev1.Container) bool {
	for name := range c.Resources.Limits {
		if strings.HasPrefix(string(name), vendor) {
			return true
		}
	}
	return len(c.Resources.Claims) > 0
}
