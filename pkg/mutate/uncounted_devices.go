package mutate

import "github.com/taojob/taojob/pkg/job"

// uncountedDevices injects nothing; it tells of a container that claims devices:
// nobody knows how many they are, and so it would run one process on all of them.
func uncountedDevices(in *injection) {
	if _, counted := in.job.Annotations[job.GPUsPerNode]; counted {
		return
	}
	for _, c := range in.trainers {
		theirs := envVar(c, "NPROC_PER_NODE") != nil && !in.added(c, "env NPROC_PER_NODE")
		if len(c.Resources.Claims) > 0 && job.GPUs(c) == 0 && !theirs {
			in.warn("container %q claims devices whose number is not known, so that it is told of no GPU and of one process: set the annotation %s", c.Name, job.GPUsPerNode)
		}
	}
}
