package facts

import (
	"cmp"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/taojob/taojob/pkg/validate"
)

// registry is NVIDIA's, which asks for a login for most of its images.
const registry = "nvcr.io/"

// pullSecrets says which pull secrets of pods with images of NVIDIA's are not
// there; nil when there are no such images or it is not known.
func (c *Cluster) pullSecrets(j *batchv1.Job) *validate.PullSecrets {
	pod := &j.Spec.Template.Spec
	if !slices.ContainsFunc(slices.Concat(pod.InitContainers, pod.Containers), fromRegistry) {
		return nil
	}
	named, account := pod.ImagePullSecrets, ""
	if len(named) == 0 { // then, and only then, those of the account are taken
		account = cmp.Or(pod.ServiceAccountName, "default")
		if c.Account == nil {
			return nil
		}
		found, known := c.Account(j.Namespace, account)
		if !known || found == nil {
			return nil
		}
		named = found.ImagePullSecrets
	}
	if len(named) == 0 {
		return &validate.PullSecrets{References: validate.References{Missing: []string{}}, None: true, Account: account}
	}
	if c.Secret == nil {
		return nil
	}
	var names []string
	for _, s := range named {
		names = append(names, s.Name)
	}
	if of := missing(j.Namespace, names, c.Secret); of != nil {
		return &validate.PullSecrets{References: *of, Account: account}
	}
	return nil
}

func fromRegistry(c corev1.Container) bool { return strings.HasPrefix(c.Image, registry) }
