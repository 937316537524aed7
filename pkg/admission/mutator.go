// Package admission answers the API server: it decodes, asks pkg/mutate and
// pkg/validate, and responds. It holds no logic of its own about Jobs.
package admission

import (
	"context"
	"fmt"

	admissionv1 "k8s.io/api/admission/v1"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/mutate"
)

// suffixLength is that of the names which the API server generates.
const suffixLength = 5

// Mutator injects into Jobs that are created, and puts back what an update lost.
type Mutator struct {
	// Options returns the settings for injection at this moment.
	Options func() mutate.Options
}

// Webhook returns the handler to serve. Patches keep fields that are newer
// than our types.
func (m *Mutator) Webhook(scheme *runtime.Scheme) *admission.Webhook {
	inner := admission.WithDefaulter(scheme, &defaulter{mutator: m, decoder: admission.NewDecoder(scheme)})
	return &admission.Webhook{Handler: withWarnings{inner.Handler}}
}

type defaulter struct {
	mutator *Mutator
	decoder admission.Decoder
}

// Default changes j in place.
func (d *defaulter) Default(ctx context.Context, j *batchv1.Job) error {
	req, err := admission.RequestFromContext(ctx)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	switch req.Operation {
	case admissionv1.Create:
		return d.create(ctx, j)
	case admissionv1.Update:
		return d.update(j, req)
	}
	return nil
}

func (d *defaulter) create(ctx context.Context, j *batchv1.Job) error {
	if !job.Selected(j.Labels) {
		return nil
	}
	opt := d.mutator.Options()
	opt.NameSuffix = rand.String(suffixLength)
	result, errs := mutate.Mutate(j, opt)
	if len(errs) > 0 {
		return invalid(j, errs)
	}
	warn(ctx, result.Warnings...)
	*j = *result.Job
	return nil
}

func (d *defaulter) update(j *batchv1.Job, req admission.Request) error {
	old := &batchv1.Job{}
	if err := d.decoder.DecodeRaw(req.OldObject, old); err != nil {
		return apierrors.NewInternalError(fmt.Errorf("decode old object: %w", err))
	}
	*j = *mutate.Restore(old, j)
	return nil
}

// invalid is how the API server itself answers for a bad field.
func invalid(j *batchv1.Job, errs field.ErrorList) error {
	name := j.Name
	if name == "" {
		name = j.GenerateName
	}
	return apierrors.NewInvalid(batchv1.SchemeGroupVersion.WithKind("Job").GroupKind(), name, errs)
}
