package audit

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/mutate"
)

func TestInjects(t *testing.T) {
	all := job.Record{
		Job: []string{"completions"}, Pod: []string{"subdomain"},
		Containers: map[string][]string{"b": {"env A", "mount /dev/shm", "env B"}, "a": {"env A"}, "c": nil},
	}
	for name, tc := range map[string]struct {
		training job.Training
		record   job.Record
		want     []string
	}{
		"nothing but what it is":        {job.Training{Nodes: 1}, job.Record{}, []string{"1 node"}},
		"one GPU is one":                {job.Training{Nodes: 1, GPUsPerNode: 1}, job.Record{}, []string{"1 node with 1 GPU"}},
		"an array is many times a node": {job.Training{Nodes: 1, GPUsPerNode: 2, Array: true}, job.Record{}, []string{"1 node with 2 GPUs for each of the independent runs"}},
		"several nodes meet at rank 0, and variables are counted": {
			job.Training{Nodes: 2, GPUsPerNode: 8, MasterAddr: "x-0.x", MasterPort: 29500}, all,
			[]string{"2 nodes with 8 GPUs, rank 0 at x-0.x:29500", "injects completions, subdomain", "injects into a: 1 variable", "injects into b: 2 variables, mount /dev/shm"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			j := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{job.Injected: tc.record.String()}}}
			if diff := cmp.Diff(tc.want, injects(&mutate.Result{Job: j, Training: &tc.training})); diff != "" {
				t.Error(diff)
			}
		})
	}
}
