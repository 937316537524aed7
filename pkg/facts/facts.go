// Package facts says what rules may know of the cluster for one Job. The webhook
// asks it of its caches and the kubectl plugin of an inventory or a live
// cluster, so that all of them judge by the same.
package facts

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/taojob/taojob/pkg/capacity"
	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/validate"
)

// Cluster is what is known of a cluster. All of it is in memory: no function
// of it does any I/O. What is nil is not known.
type Cluster struct {
	// Version is the API server's.
	Version *validate.Version
	// Nodes are its nodes.
	Nodes *capacity.Index
	// Service returns the Service of that name, nil if there is none; known is
	// false if it cannot tell.
	Service func(namespace, name string) (found *corev1.Service, known bool)
	// Quotas and LimitRanges return those of a namespace; known is false if they
	// cannot tell.
	Quotas      func(namespace string) (found []*corev1.ResourceQuota, known bool)
	LimitRanges func(namespace string) (found []*corev1.LimitRange, known bool)
	// Claim and Secret tell whether there is a PersistentVolumeClaim or a Secret
	// of that name; what is in a Secret nobody asks.
	Claim  func(namespace, name string) (found, known bool)
	Secret func(namespace, name string) (found, known bool)
	// Account returns the ServiceAccount of that name, nil if there is none.
	Account func(namespace, name string) (found *corev1.ServiceAccount, known bool)
}

// Of says what is known for a Job, as injected and in its namespace, and its
// training. It changes neither. What a rule may not rely on is left nil.
func (c *Cluster) Of(j *batchv1.Job, t *job.Training) validate.Facts {
	return validate.Facts{
		KubeVersion: c.Version,
		Capacity:    c.capacity(j, t),
		Service:     c.service(j, t),
		Quota:       c.quota(j, t),
		Claims:      c.claims(j),
		PullSecrets: c.pullSecrets(j),
	}
}
