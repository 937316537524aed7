package admission

import (
	"context"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/taojob/taojob/pkg/facts"
	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/validate"
)

// Validator judges labelled Jobs, and CronJobs that will make some.
type Validator struct {
	// Policy returns the rules in force at this moment.
	Policy func() *validate.Policy
	// Cluster returns what is known of the cluster at this moment, all of it in
	// memory: an admission makes no API call.
	Cluster func() *facts.Cluster
	// AllowOnError admits a Job when a rule could not be evaluated.
	AllowOnError bool
	// Now tells the time, by which exceptions expire; nil means time.Now.
	Now func() time.Time
}

// JobWebhook returns the handler for Jobs. One on its way out is never held up.
func (v *Validator) JobWebhook() *admission.Webhook {
	return &admission.Webhook{Handler: handler{name: "judge", answer: v.job}}
}

// CronJobWebhook returns the handler for CronJobs. It is a courtesy: what a
// CronJob makes is judged again, and then it counts.
func (v *Validator) CronJobWebhook() *admission.Webhook {
	return &admission.Webhook{Handler: handler{name: "judge-cronjob", courtesy: true, answer: v.cronJob}}
}

func (v *Validator) job(ctx context.Context, req admission.Request) (admission.Response, error) {
	j := &batchv1.Job{}
	if err := decode(req.Object.Raw, j); err != nil {
		return admission.Response{}, err
	}
	if !job.Selected(j.Labels) || j.DeletionTimestamp != nil {
		return admission.Allowed(""), nil
	}
	if req.Operation == admissionv1.Create {
		return v.respond(ctx, v.judge(ctx, ofJob(j))), nil
	}
	old := &batchv1.Job{}
	if err := decode(req.OldObject.Raw, old); err != nil {
		return admission.Response{}, err
	}
	return v.respond(ctx, v.judgeUpdate(ctx, ofJob(old), ofJob(j))), nil
}

func (v *Validator) cronJob(ctx context.Context, req admission.Request) (admission.Response, error) {
	c := &batchv1.CronJob{}
	if err := decode(req.Object.Raw, c); err != nil {
		return admission.Response{}, err
	}
	if !job.Selected(c.Spec.JobTemplate.Labels) || c.DeletionTimestamp != nil {
		return admission.Allowed(""), nil
	}
	if req.Operation == admissionv1.Create {
		return v.respond(ctx, v.judge(ctx, ofCronJob(c))), nil
	}
	old := &batchv1.CronJob{}
	if err := decode(req.OldObject.Raw, old); err != nil {
		return admission.Response{}, err
	}
	return v.respond(ctx, v.judgeUpdate(ctx, ofCronJob(old), ofCronJob(c))), nil
}
