package mutate

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/taojob/taojob/pkg/job"
)

// staging refuses what this version cannot do yet. Accepted and ignored, it
// would cost a whole run: no data at its start, no results after its end.
func staging(t *job.Training) field.ErrorList {
	const detail = "S3 staging is not part of this version: fetch and upload in the training command, or mount a volume"
	var errs field.ErrorList
	if len(t.Inputs) > 0 {
		errs = append(errs, field.Forbidden(job.AnnotationPath(job.Inputs), detail))
	}
	if len(t.Outputs) > 0 {
		errs = append(errs, field.Forbidden(job.AnnotationPath(job.Outputs), detail))
	}
	return errs
}
