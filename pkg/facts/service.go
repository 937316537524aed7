package facts

import (
	batchv1 "k8s.io/api/batch/v1"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/rendezvous"
	"github.com/taojob/taojob/pkg/validate"
)

// service says what stands under the name of the headless Service; nil when
// none is needed or it is not known.
func (c *Cluster) service(j *batchv1.Job, t *job.Training) *validate.Service {
	if c.Service == nil || !t.MultiNode() || t.Service == "" {
		return nil
	}
	found, known := c.Service(j.Namespace, t.Service)
	if !known {
		return nil
	}
	return rendezvous.Inspect(found, j)
}
