package admission_test

import (
	"context"
	"fmt"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	batchv1 "k8s.io/api/batch/v1"
	ctrladmission "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/taojob/taojob/pkg/job/jobtest"
	"github.com/taojob/taojob/pkg/mutate"
)

// nothing decodes and responds as controller-runtime does, and does nothing between.
type nothing struct{}

func (nothing) Default(context.Context, *batchv1.Job) error { return nil }

func (nothing) ValidateCreate(context.Context, *batchv1.Job) (ctrladmission.Warnings, error) {
	return nil, nil
}

func (nothing) ValidateUpdate(context.Context, *batchv1.Job, *batchv1.Job) (ctrladmission.Warnings, error) {
	return nil, nil
}

func (nothing) ValidateDelete(context.Context, *batchv1.Job) (ctrladmission.Warnings, error) {
	return nil, nil
}

func BenchmarkMutate(b *testing.B) {
	req := request(b, admissionv1.Create, typical(), nil)
	b.Run("nothing", func(b *testing.B) { answer(b, ctrladmission.WithDefaulter(scheme(b), nothing{}), req) })
	b.Run("inject", func(b *testing.B) { answer(b, mutator(b), req) })
}

func BenchmarkValidate(b *testing.B) {
	result, errs := mutate.Mutate(typical(), mutate.Options{})
	if len(errs) > 0 {
		b.Fatal(errs)
	}
	req := request(b, admissionv1.Create, result.Job, nil)
	b.Run("nothing", func(b *testing.B) { answer(b, ctrladmission.WithValidator(scheme(b), nothing{}), req) })
	for _, nodes := range []int{5, 5000} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			answer(b, validator(b, gpuNodes(nodes)...).JobWebhook(), req)
		})
	}
}

func answer(b *testing.B, hook *ctrladmission.Webhook, req ctrladmission.Request) {
	b.ReportAllocs()
	for b.Loop() {
		if resp := hook.Handle(b.Context(), req); !resp.Allowed {
			b.Fatal(resp.Result.Message)
		}
	}
}

// typical is a Job with 40 variables, as it reaches a webhook.
func typical() *batchv1.Job {
	j := jobtest.New("train").GPUs("1")
	for i := range 40 {
		j = j.Env(fmt.Sprintf("SETTING_%d", i), fmt.Sprintf("value %d", i))
	}
	return j.Defaulted().Obj()
}
