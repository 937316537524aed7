package mutate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/job/jobtest"
	"github.com/taojob/taojob/pkg/mutate"
)

func TestRestore(t *testing.T) {
	plain := jobtest.New("train").Annotate(job.Nodes, "2").GPUs("8").Env("LR", "0.1").Defaulted()
	stored := stored(t, plain)
	without := func(change func(*batchv1.Job)) *batchv1.Job {
		j := stored.DeepCopy()
		change(j)
		return j
	}
	env := func(name, value string) func(*corev1.Container) {
		return func(c *corev1.Container) { c.Env = append(c.Env, corev1.EnvVar{Name: name, Value: value}) }
	}
	for name, tc := range map[string]struct{ updated, want *batchv1.Job }{
		"the author's manifest gets all of ours back": {plain.Obj(), stored},
		"a new annotation is kept with it": {
			plain.Annotate("team", "vision").Obj(),
			without(func(j *batchv1.Job) { j.Annotations["team"] = "vision" }),
		},
		"nothing was lost where the record is still there": {
			without(func(j *batchv1.Job) { j.Spec.Parallelism = new(int32(1)) }),
			without(func(j *batchv1.Job) { j.Spec.Parallelism = new(int32(1)) }),
		},
		"the record itself is put back": {
			without(func(j *batchv1.Job) { delete(j.Annotations, job.Injected) }), stored,
		},
		"a record that was changed is put back": {
			without(func(j *batchv1.Job) { j.Annotations[job.Injected] = "{}" }), stored,
		},
		"suspending it by the manifest is kept": {
			plain.With(func(j *batchv1.Job) { j.Spec.Suspend = new(true) }).Obj(),
			without(func(j *batchv1.Job) { j.Spec.Suspend = new(true) }),
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, mutate.Restore(stored, tc.updated)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("what the author changed in the template stays changed", func(t *testing.T) {
		got := mutate.Restore(stored, plain.Trainer(env("NEW", "1")).Obj()).Spec.Template.Spec
		want := plain.Trainer(env("NEW", "1")).Obj().Spec.Template.Spec.Containers[0].Env
		if diff := cmp.Diff(want, got.Containers[0].Env); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestRestoreWithoutARecord(t *testing.T) {
	old, updated := jobtest.New("train").Obj(), jobtest.New("train").Env("A", "1").Obj()
	if got := mutate.Restore(old, updated); got != updated {
		t.Error("a Job that was never injected is changed")
	}
}

func stored(t *testing.T, in jobtest.Job) *batchv1.Job {
	t.Helper()
	result, errs := mutate.Mutate(in.Obj(), mutate.Options{Env: map[string]string{"NCCL_DEBUG": "WARN"}, ImagePullSecret: "ngc"})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return result.Job
}
