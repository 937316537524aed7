// Package admission answers the API server: it decodes, asks pkg/mutate and
// pkg/validate, and responds. It holds no logic of its own about Jobs, makes
// no API call, and never logs or answers with a value of an object.
package admission

import (
	"cmp"
	"context"

	admissionv1 "k8s.io/api/admission/v1"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/mutate"
)

// suffixLength is that of the names which the API server generates.
const suffixLength = 5

// late tells why a label that came later did not help.
const late = "the label " + job.Label + " came after the Job was created: nothing is injected into it; delete the Job and create it again"

// Mutator injects into Jobs that are created, and puts back what an update lost.
type Mutator struct {
	// Options returns the settings for injection at this moment.
	Options func() mutate.Options
}

// Webhook returns the handler to serve. Its patches leave fields alone that
// are newer than our types.
func (m *Mutator) Webhook() *admission.Webhook {
	return &admission.Webhook{Handler: handler{name: "inject", answer: m.answer}}
}

func (m *Mutator) answer(_ context.Context, req admission.Request) (admission.Response, error) {
	j := &batchv1.Job{}
	if err := decode(req.Object.Raw, j); err != nil {
		return admission.Response{}, err
	}
	if req.Operation == admissionv1.Create {
		return m.create(j)
	}
	old := &batchv1.Job{}
	if err := decode(req.OldObject.Raw, old); err != nil {
		return admission.Response{}, err
	}
	return update(old, j)
}

func (m *Mutator) create(j *batchv1.Job) (admission.Response, error) {
	if !job.Selected(j.Labels) {
		return admission.Allowed(""), nil
	}
	opt := m.Options()
	opt.NameSuffix = rand.String(suffixLength)
	result, errs := mutate.Mutate(j, opt)
	if len(errs) > 0 {
		return invalid(j, errs), nil
	}
	resp, err := patched(diff(j, result.Job))
	return resp.WithWarnings(brief(result.Warnings)...), err
}

// update leaves a Job on its way out as it is. One that lost the label still
// gets back what is ours: its template can't change.
func update(old, j *batchv1.Job) (admission.Response, error) {
	if j.DeletionTimestamp != nil {
		return admission.Allowed(""), nil
	}
	resp, err := patched(diff(j, mutate.Restore(old, j)))
	if job.Selected(j.Labels) && !job.Selected(old.Labels) && old.Annotations[job.Injected] == "" {
		resp = resp.WithWarnings(late)
	}
	return resp, err
}

// invalid is how the API server itself answers for a bad field.
func invalid(j *batchv1.Job, errs field.ErrorList) admission.Response {
	kind := batchv1.SchemeGroupVersion.WithKind("Job").GroupKind()
	return answerWith(apierrors.NewInvalid(kind, cmp.Or(j.Name, j.GenerateName), errs).ErrStatus)
}
