package admission

import (
	"context"
	"errors"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/mutate"
	"github.com/taojob/taojob/pkg/validate"
)

// judged is an object and the Job in it. For a CronJob, below is the path of
// its jobTemplate.
type judged struct {
	object any
	job    *batchv1.Job
	below  string
}

func ofJob(j *batchv1.Job) judged { return judged{object: j, job: j} }

// ofCronJob judges the Jobs that c makes as they will be once injected: the
// toleration of the GPU nodes' taint, for one, is not in c.
func ofCronJob(c *batchv1.CronJob) judged {
	j := job.OfCronJob(c)
	if result, errs := mutate.Mutate(j, mutate.Options{}); len(errs) == 0 {
		j = result.Job
	}
	return judged{object: c, job: j, below: "spec.jobTemplate."}
}

// judge returns every violation, and the error of rules that could not be evaluated.
func (v *Validator) judge(ctx context.Context, in judged) ([]validate.Violation, error) {
	var found []validate.Violation
	t, errs := job.Read(in.job)
	for _, err := range errs {
		found = append(found, validate.Refusal(in.below, err))
	}
	decision, err := v.Engine().Judge(ctx, validate.Input{
		Object: in.object, Training: t, Facts: v.Facts.of(ctx, in.job, t),
	})
	for _, s := range decision.Skipped {
		skippedRules.WithLabelValues(s.Rule).Inc()
	}
	return append(found, decision.Violations...), err
}

// judgeUpdate returns what the update violates and the object before it did
// not. Places may have moved, so a finding is known by its rule and message.
func (v *Validator) judgeUpdate(ctx context.Context, old, updated judged) ([]validate.Violation, error) {
	found, err := v.judge(ctx, updated)
	if len(found) == 0 {
		return nil, err
	}
	before, oldErr := v.judge(ctx, old)
	type finding struct{ rule, action, message string }
	known := map[finding]bool{}
	for _, f := range before {
		known[finding{f.Rule, string(f.Action), f.Message}] = true
	}
	var fresh []validate.Violation
	for _, f := range found {
		if !known[finding{f.Rule, string(f.Action), f.Message}] {
			fresh = append(fresh, f)
		}
	}
	return fresh, errors.Join(err, oldErr)
}
