package mutate

import (
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"
)

// defaultBackoffLimit is the API server's; it cannot be told from "not set".
const defaultBackoffLimit = 6

// indexedJob makes the pods of a multi-node Job start together, each with a
// rank of its own. One lost node ends the run, so nothing is retried unless
// the author asked for it. Numbers that contradict the node count are left
// alone: the validating webhook refuses them.
func indexedJob(in *injection) {
	if !in.training.MultiNode() {
		return
	}
	spec, nodes := &in.job.Spec, in.training.Nodes
	if ptr.Deref(spec.CompletionMode, batchv1.NonIndexedCompletion) == batchv1.NonIndexedCompletion {
		spec.CompletionMode = ptr.To(batchv1.IndexedCompletion)
		in.addedToJob("completionMode")
	}
	if ptr.Deref(spec.Completions, 1) == 1 {
		spec.Completions = ptr.To(nodes)
		in.addedToJob("completions")
	}
	if ptr.Deref(spec.Parallelism, 1) == 1 {
		spec.Parallelism = ptr.To(nodes)
		in.addedToJob("parallelism")
	}
	if ptr.Deref(spec.BackoffLimit, defaultBackoffLimit) == defaultBackoffLimit && spec.BackoffLimitPerIndex == nil {
		spec.BackoffLimit = ptr.To[int32](0)
		in.addedToJob("backoffLimit")
	}
}
