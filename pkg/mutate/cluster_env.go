package mutate

import (
	"maps"
	"slices"
)

// clusterEnv gives training containers the cluster's defaults, such as the
// network interface that NCCL must use; sorted, so that the result is one.
func clusterEnv(in *injection) {
	names := slices.Sorted(maps.Keys(in.opt.Env))
	for _, c := range in.trainers {
		for _, name := range names {
			in.env(c, value(name, in.opt.Env[name]))
		}
	}
}
