package facts

import (
	batchv1 "k8s.io/api/batch/v1"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/validate"
)

// capacity says how many of the Job's pods the nodes could ever run at once.
func (c *Cluster) capacity(j *batchv1.Job, t *job.Training) *validate.Capacity {
	if c.Nodes == nil {
		return nil
	}
	fit := validate.Capacity(c.Nodes.Fit(job.PodTemplate(j, j.Namespace), int(t.Nodes)))
	return &fit
}
