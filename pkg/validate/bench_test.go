package validate_test

import (
	"fmt"
	"os"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/validate"
)

// wideJob is a two-node Job whose container has that many plain variables.
func wideJob(env int) *batchv1.Job {
	c := corev1.Container{
		Name: "tao", Image: "nvcr.io/nvidia/tao/tao-toolkit:6.25.7-pyt",
		Args: []string{"dino", "train", "-e", "/specs/dino.yaml"},
		Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
			"nvidia.com/gpu": resource.MustParse("8"), "memory": resource.MustParse("64Gi"),
		}},
	}
	for i := range env {
		c.Env = append(c.Env, corev1.EnvVar{Name: fmt.Sprintf("SETTING_%d", i), Value: fmt.Sprintf("/mnt/data/part-%d", i)})
	}
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Name: "dino", Namespace: "vision",
			Labels: map[string]string{job.Label: "true"}, Annotations: map[string]string{job.Nodes: "2"},
		},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{c},
		}}},
	}
}

// allKnown are the facts of a cluster that has room.
func allKnown() validate.Facts {
	return validate.Facts{
		KubeVersion: &validate.Version{Major: 1, Minor: 31},
		Capacity:    &validate.Capacity{Want: 2, Fit: 4, Eligible: 4, Nodes: 5, Request: "nvidia.com/gpu: 8"},
		Service:     &validate.Service{},
	}
}

// BenchmarkJudge is one judgement of a Job with 40 variables by all built-in
// rules, none of which finds anything.
func BenchmarkJudge(b *testing.B) {
	engine, err := validate.New(b.Context(), os.DirFS("../../policies"))
	if err != nil {
		b.Fatal(err)
	}
	j := wideJob(40)
	training, errs := job.Read(j)
	if len(errs) > 0 {
		b.Fatal(errs)
	}
	in := validate.Input{Object: j, Training: training, Facts: allKnown()}
	b.ReportAllocs()
	for b.Loop() {
		if d, err := engine.Judge(b.Context(), in); err != nil || d.Denied() {
			b.Fatal(d, err)
		}
	}
}

// BenchmarkNew is what a start and each reload of policies cost.
func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := validate.New(b.Context(), os.DirFS("../../policies")); err != nil {
			b.Fatal(err)
		}
	}
}
