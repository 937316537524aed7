package doctor

import (
	"slices"

	nodev1 "k8s.io/api/node/v1"
)

// runtimeClass warns of the trap that a pod gets its GPU, but not the driver's
// files: where NVIDIA's runtime is not the nodes' default, it has to be named.
func runtimeClass(s *Snapshot) []Finding {
	if s.RuntimeClasses.Err != nil {
		return missing("list runtimeclasses", s.RuntimeClasses.Err)
	}
	if slices.ContainsFunc(s.RuntimeClasses.Value, func(c nodev1.RuntimeClass) bool { return c.Name == "nvidia" }) {
		return []Finding{warn(`unless it is the default on the GPU nodes, set runtimeClassName: nvidia in the Job's pod template`,
			`there is a RuntimeClass "nvidia", which may have to be asked for: without it a container sees no GPU`)}
	}
	return []Finding{ok("no RuntimeClass has to be named")}
}
