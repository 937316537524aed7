package mutate

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// torchrunVars are the variables from which torchrun takes the defaults of its
// flags (PyTorch elastic's PET_ prefix), each repeating one of ours.
var torchrunVars = []struct{ pet, from string }{
	{"PET_NNODES", "NNODES"},
	{"PET_NPROC_PER_NODE", "NPROC_PER_NODE"},
	{"PET_NODE_RANK", "NODE_RANK"},
	{"PET_MASTER_ADDR", "MASTER_ADDR"},
	{"PET_MASTER_PORT", "MASTER_PORT"},
}

// torchrunEnv makes a plain `torchrun script.py` work without flags on several
// nodes. It repeats what the container will really see, be it ours or the author's.
func torchrunEnv(in *injection) {
	if !in.training.MultiNode() {
		return
	}
	for _, c := range in.trainers {
		for _, v := range torchrunVars {
			source := *envVar(c, v.from) // rendezvousEnv has set it
			if source.ValueFrom == nil && strings.Contains(source.Value, "$(") {
				in.envLast(c, value(v.pet, "$("+v.from+")")) // it resolves only after what it refers to
				continue
			}
			in.env(c, corev1.EnvVar{Name: v.pet, Value: source.Value, ValueFrom: source.ValueFrom.DeepCopy()})
		}
	}
}
