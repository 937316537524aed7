package mutate

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/taojob/taojob/pkg/job"
)

// credentials names the Secret whose keys become variables of the training
// containers. It comes before the author's own sources, which therefore win
// where both have a key. Only the Secret's name is ever in the manifest.
func credentials(in *injection) {
	secret := in.training.Credentials
	if secret.Secret == "" {
		if _, chosen := in.job.Annotations[job.CredentialsSecret]; !chosen {
			in.warn("no credentials Secret is injected, since the Job's name is generated: name one in the annotation %s, or write none", job.CredentialsSecret)
		}
		return
	}
	source := corev1.EnvFromSource{SecretRef: &corev1.SecretEnvSource{
		LocalObjectReference: corev1.LocalObjectReference{Name: secret.Secret},
	}}
	if secret.Optional {
		source.SecretRef.Optional = ptr.To(true)
	}
	for _, c := range in.trainers {
		if !readsSecret(c, secret.Secret) {
			c.EnvFrom = slices.Insert(c.EnvFrom, 0, source)
			in.addedTo(c, "envFrom "+secret.Secret)
		}
	}
}

func readsSecret(c *corev1.Container, name string) bool {
	return slices.ContainsFunc(c.EnvFrom, func(s corev1.EnvFromSource) bool {
		return s.SecretRef != nil && s.SecretRef.Name == name
	})
}
