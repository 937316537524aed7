package mutate

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// selfReference injects nothing; it tells of a variable of ours that its author
// set by means of itself. The author wins, so that nothing stands behind the
// reference: the kubelet leaves it as text.
func selfReference(in *injection) {
	for _, c := range in.trainers {
		seen := map[string]bool{}
		for i := range c.Env {
			v := &c.Env[i]
			if in.ours(v.Name) && !seen[v.Name] && refersTo(v, v.Name) {
				in.warn("variable %s of container %q refers to itself, which stays as text: only where you don't set it, there is ours to refer to", v.Name, c.Name)
			}
			seen[v.Name] = true
		}
	}
}

// refersTo tells whether v's value holds $(name), and not $$(name), which stands
// for the text.
func refersTo(v *corev1.EnvVar, name string) bool {
	value := strings.ReplaceAll(v.Value, "$$", "")
	return v.ValueFrom == nil && strings.Contains(value, "$("+name+")")
}

// variables are the names that injection may set, beside the cluster's own.
var variables = map[string]bool{
	"NNODES": true, "NPROC_PER_NODE": true, "NUM_GPU_PER_NODE": true, "NODE_RANK": true, "MASTER_ADDR": true, "MASTER_PORT": true,
	"WORLD_SIZE": true, "TAO_JOB_ID": true, "TAO_RESULTS_ROOT": true,
	"PET_NNODES": true, "PET_NPROC_PER_NODE": true, "PET_NODE_RANK": true, "PET_MASTER_ADDR": true, "PET_MASTER_PORT": true,
}

// ours tells whether injection may set a variable of that name.
func (in *injection) ours(name string) bool {
	_, configured := in.opt.Env[name]
	return variables[name] || configured
}
