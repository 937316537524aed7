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

# One comparison passes over nearly all variables: there are many of them.
violation contains {"path": path, "message": message} if {
	some c in pod.containers
	c.spec.name in input.training.containers
	some i, env in c.spec.env
	env.value != expected[env.name]
	message := sprintf("container %q: %s", [c.spec.name, flaw(env.name, env.value, input.training)])
	path := array.concat(c.path, ["env", i, "value"])
}

# What variables have to be, by their names. Nothing but a reference will do for
# what is not the same on each node. Made once, and not for each variable.
expected := object.union_n([by_nodes, by_gpus, by_place])

default by_nodes := {}

by_nodes := {name: format_int(nodes, 10) | some name in counts_of_nodes} if nodes := input.training.nodes

default by_gpus := {}

by_gpus := {name: format_int(input.training.gpusPerNode, 10) | some name in counts_of_gpus} if input.training.gpusPerNode > 0

default by_place := {}

by_place := {name: "" | some name in places} if input.training.nodes > 1

counts_of_nodes := {"WORLD_SIZE", "NNODES", "PET_NNODES"}

counts_of_gpus := {"NPROC_PER_NODE", "PET_NPROC_PER_NODE", "NUM_GPU_PER_NODE"}

places := {"RANK", "NODE_RANK", "PET_NODE_RANK", "GROUP_RANK", "MASTER_ADDR", "PET_MASTER_ADDR"}

# What is wrong with a value; undefined if it is a reference, or fits after all.
flaw(name, value, training) := sprintf("WORLD_SIZE is %s, but TAO reads it as the number of nodes, which is %d", [value, training.nodes]) if {
	name == "WORLD_SIZE"
	is_count(value)
} else := sprintf("%s is %s, but there are %d nodes", [name, value, training.nodes]) if {
	name in {"NNODES", "PET_NNODES"}
	is_count(value)
} else := sprintf("%s is %s, but each node has %d GPUs", [name, value, training.gpusPerNode]) if {
	contains(name, "_PER_NODE")
	is_count(value)
} else := sprintf("%s is a number, and so the same on each of %d nodes", [name, training.nodes]) if {
	endswith(name, "RANK")
	is_count(value)
} else := sprintf("%s is each node itself, so that %d nodes do not find each other", [name, training.nodes]) if {
	endswith(name, "MASTER_ADDR")
	value in {"localhost", "127.0.0.1", "::1", "0.0.0.0"}
}

is_count(value) if regex.match(`^[0-9]{1,9}$`, value)
