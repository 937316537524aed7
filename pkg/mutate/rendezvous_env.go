package mutate

import (
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/taojob/taojob/pkg/job"
)

// rendezvousEnv tells each training container how many nodes there are, which
// one it is and where rank 0 listens: the variables that TAO's entrypoint reads.
//
// WORLD_SIZE is TAO's count of nodes, not of processes. The entrypoint goes
// multi-node as soon as it is set, so one node never gets it.
func rendezvousEnv(in *injection) {
	t := in.training
	for _, c := range in.trainers {
		gpus := gpusOf(in, c)
		in.env(c, value("NNODES", number(t.Nodes)))
		in.env(c, value("NPROC_PER_NODE", number(max(gpus, 1)))) // a launcher needs one process, even on CPUs
		in.env(c, value("NUM_GPU_PER_NODE", number(gpus)))
		in.env(c, nodeRank(t))
		in.env(c, value("MASTER_ADDR", t.MasterAddr))
		in.env(c, value("MASTER_PORT", number(t.MasterPort)))
		if t.MultiNode() {
			in.env(c, value("WORLD_SIZE", number(t.Nodes)))
		}
		in.env(c, jobID(t))
	}
}

// gpusOf is what c itself asks for: each of two training containers sees only
// its own devices. The annotation speaks for all of them.
func gpusOf(in *injection, c *corev1.Container) int32 {
	if _, annotated := in.job.Annotations[job.GPUsPerNode]; annotated {
		return in.training.GPUsPerNode
	}
	return job.GPUs(c)
}

// nodeRank reads the completion index from the pod's annotation: the Job
// controller appends JOB_COMPLETION_INDEX after all other variables, so
// $(JOB_COMPLETION_INDEX) would stay literal.
func nodeRank(t *job.Training) corev1.EnvVar {
	if !t.MultiNode() {
		return value("NODE_RANK", "0")
	}
	return fromField("NODE_RANK", "metadata.annotations['"+batchv1.JobCompletionIndexAnnotation+"']")
}

// jobID is the Job's name; where the API server has yet to make one, the pod's
// label tells it.
func jobID(t *job.Training) corev1.EnvVar {
	if t.Name == "" {
		return fromField("TAO_JOB_ID", "metadata.labels['job-name']")
	}
	return value("TAO_JOB_ID", t.Name)
}

func value(name, v string) corev1.EnvVar { return corev1.EnvVar{Name: name, Value: v} }

func fromField(name, fieldPath string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{
		FieldRef: &corev1.ObjectFieldSelector{FieldPath: fieldPath},
	}}
}

func number(n int32) string { return strconv.Itoa(int(n)) }
