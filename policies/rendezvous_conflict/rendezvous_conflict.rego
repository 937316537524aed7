# METADATA
# title: Variables that contradict the node count
# description: >-
#   What the author sets stays as it is, also a variable that launchers read to
#   find the other nodes. One that does not fit the number of nodes makes them wait
#   for nodes that never come, or train alone. TAO reads WORLD_SIZE as the number of
#   nodes, not of processes.
# custom:
#   id: rendezvous-conflict
#   action: warn
#   fix: leave the variable out, and the right one is injected
package tao.rules.rendezvous_conflict

import data.tao.lib.pod

violation contains {"path": v.path, "message": message} if {
	some v in variables
	some expected in counts[v.name]
	regex.match(`^[0-9]{1,9}$`, v.value)
	to_number(v.value) != expected.number
	message := sprintf("container %q: %s is %d, but %s", [v.container, v.name, to_number(v.value), expected.because])
}

violation contains {"path": v.path, "message": message} if {
	input.training.nodes > 1
	some v in variables
	v.name in {"RANK", "NODE_RANK", "PET_NODE_RANK", "GROUP_RANK"}
	regex.match(`^[0-9]{1,9}$`, v.value)
	message := sprintf("container %q: %s is a number, and so the same on each of %d nodes", [v.container, v.name, input.training.nodes])
}

violation contains {"path": v.path, "message": message} if {
	input.training.nodes > 1
	some v in variables
	v.name in {"MASTER_ADDR", "PET_MASTER_ADDR"}
	v.value in {"localhost", "127.0.0.1", "::1", "0.0.0.0"}
	message := sprintf("container %q: %s is each node itself, so that %d nodes do not find each other", [v.container, v.name, input.training.nodes])
}

# What is a number, by the variable's name, and why it has to be that one.
counts[name] contains {"number": number, "because": sprintf(reason, [number])} if {
	number := input.training.nodes
	some name, reason in {
		"WORLD_SIZE": "TAO reads it as the number of nodes, which is %d",
		"NNODES": "there are %d nodes",
		"PET_NNODES": "there are %d nodes",
	}
}

counts[name] contains {"number": number, "because": sprintf("each node has %d GPUs", [number])} if {
	number := input.training.gpusPerNode
	number > 0
	some name in ["NPROC_PER_NODE", "PET_NPROC_PER_NODE", "NUM_GPU_PER_NODE"]
}

# The literal variables of the training containers that say where a node is.
variables contains {"container": c.spec.name, "name": env.name, "value": env.value, "path": array.concat(c.path, ["env", i, "value"])} if {
	some c in pod.containers
	c.spec.name in input.training.containers
	some i, env in c.spec.env
	watched[env.name]
	is_string(env.value)
}

watched := {
	"WORLD_SIZE", "NNODES", "PET_NNODES", "NPROC_PER_NODE", "PET_NPROC_PER_NODE", "NUM_GPU_PER_NODE", "RANK", "NODE_RANK",
	"PET_NODE_RANK", "GROUP_RANK", "MASTER_ADDR", "PET_MASTER_ADDR",
}
