package admission

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/validate"
)

// Validator judges labelled Jobs, and CronJobs that will make some.
type Validator struct {
	// Engine returns the rules in force at this moment.
	Engine func() *validate.Engine
	Facts  *Facts
	// AllowOnError admits a Job when a rule could not be evaluated.
	AllowOnError bool
}

// JobWebhook returns the handler for Jobs.
func (v *Validator) JobWebhook(scheme *runtime.Scheme) *admission.Webhook {
	return admission.WithValidator(scheme, &jobs{v})
}

// CronJobWebhook returns the handler for CronJobs.
func (v *Validator) CronJobWebhook(scheme *runtime.Scheme) *admission.Webhook {
	return admission.WithValidator(scheme, &cronJobs{v})
}

type jobs struct{ *Validator }

// ValidateCreate judges a new Job.
func (v *jobs) ValidateCreate(ctx context.Context, j *batchv1.Job) (admission.Warnings, error) {
	if !job.Selected(j.Labels) {
		return nil, nil
	}
	found, err := v.judge(ctx, ofJob(j))
	return v.respond(ctx, found, err)
}

// ValidateUpdate judges what an update newly violates. A Job on its way out is
// never held up.
func (v *jobs) ValidateUpdate(ctx context.Context, old, updated *batchv1.Job) (admission.Warnings, error) {
	if !job.Selected(updated.Labels) || updated.DeletionTimestamp != nil {
		return nil, nil
	}
	found, err := v.judgeUpdate(ctx, ofJob(old), ofJob(updated))
	return v.respond(ctx, found, err)
}

// ValidateDelete is never asked for.
func (*jobs) ValidateDelete(context.Context, *batchv1.Job) (admission.Warnings, error) {
	return nil, nil
}

type cronJobs struct{ *Validator }

// ValidateCreate judges the Jobs that a new CronJob would make.
func (v *cronJobs) ValidateCreate(ctx context.Context, c *batchv1.CronJob) (admission.Warnings, error) {
	if !job.Selected(c.Spec.JobTemplate.Labels) {
		return nil, nil
	}
	found, err := v.judge(ctx, ofCronJob(c))
	return v.respond(ctx, found, err)
}

// ValidateUpdate judges what an update newly violates.
func (v *cronJobs) ValidateUpdate(ctx context.Context, old, updated *batchv1.CronJob) (admission.Warnings, error) {
	if !job.Selected(updated.Spec.JobTemplate.Labels) || updated.DeletionTimestamp != nil {
		return nil, nil
	}
	found, err := v.judgeUpdate(ctx, ofCronJob(old), ofCronJob(updated))
	return v.respond(ctx, found, err)
}

// ValidateDelete is never asked for.
func (*cronJobs) ValidateDelete(context.Context, *batchv1.CronJob) (admission.Warnings, error) {
	return nil, nil
}
