package facts

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/taojob/taojob/pkg/validate"
)

// claims says which of the PersistentVolumeClaims that the pods name are not
// there; nil when it is not known. Those of ephemeral volumes come with the pods.
func (c *Cluster) claims(j *batchv1.Job) *validate.References {
	if c.Claim == nil {
		return nil
	}
	var names []string
	for _, v := range j.Spec.Template.Spec.Volumes {
		if v.PersistentVolumeClaim != nil {
			names = append(names, v.PersistentVolumeClaim.ClaimName)
		}
	}
	return missing(j.Namespace, names, c.Claim)
}

// missing says which names are not there, sorted; nil when one is not known.
func missing(namespace string, names []string, there func(namespace, name string) (found, known bool)) *validate.References {
	all := &validate.References{Missing: []string{}}
	for _, name := range names {
		found, known := there(namespace, name)
		if !known {
			return nil
		}
		if !found {
			all.Missing = append(all.Missing, name)
		}
	}
	slices.Sort(all.Missing)
	all.Missing = slices.Compact(all.Missing)
	return all
}
