package job

import (
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"
)

// MaxNodes is the parallelism up to which the API server accepts an Indexed
// Job (maxParallelismForIndexJob in its validation of batch/v1).
const MaxNodes = 100_000

// nodes is the annotation, or the completions of an Indexed Job all of whose
// pods run at once, or 1.
func (r *reader) nodes(spec *batchv1.JobSpec) int32 {
	if n, ok := r.number(Nodes, 1, MaxNodes); ok {
		return n
	}
	if _, refused := r.annotations[Nodes]; refused || !Indexed(spec) {
		return 1
	}
	completions := ptr.Deref(spec.Completions, 1)
	if completions < 1 || completions != ptr.Deref(spec.Parallelism, 1) {
		return 1
	}
	return completions
}

// Indexed tells whether each pod of the Job has a completion index of its own.
func Indexed(spec *batchv1.JobSpec) bool {
	return ptr.Deref(spec.CompletionMode, batchv1.NonIndexedCompletion) == batchv1.IndexedCompletion
}

// runs is the number of pods that the Job's own numbers ask for.
func runs(spec *batchv1.JobSpec) int32 {
	return max(ptr.Deref(spec.Completions, 1), ptr.Deref(spec.Parallelism, 1))
}
