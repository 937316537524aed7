# METADATA
# title: More GPU pods than the cluster can ever run at once
# description: >-
#   Each pod of a run needs room on a node that is ready, schedulable, selected
#   and whose taints it tolerates, counted on empty nodes. A run that can never
#   get all of its pods waits forever, and holds the GPUs of those that started.
# custom:
#   id: gpu-capacity
#   action: deny
#   fix: ask for no more GPUs, memory and CPU per pod than a node has, or add such nodes
package tao.rules.gpu_capacity

import data.tao.lib.manifest

violation contains object.union(finding, waits) if input.facts.capacity.fit < input.facts.capacity.want

skipped contains "the cluster's nodes are not known: give --inventory with Nodes, or --cluster" if {
	not input.facts.capacity
}

capacity := input.facts.capacity

finding := {
	"path": path,
	"message": sprintf("%s%s, but %s%s%s", [subject, needed, fitting, because, later]),
	"fix": fix,
}

needed := sprintf("a pod is needed that asks for %s", [capacity.request]) if capacity.want == 1

needed := sprintf("%d pods are needed at once that ask for %s each", [capacity.want, capacity.request]) if {
	capacity.want > 1
}

fitting := sprintf("%s; eligible nodes: %d of %d", [fit_text, capacity.eligible, capacity.nodes])

fit_text := "none fits" if capacity.fit == 0

fit_text := sprintf("only %d can be placed", [capacity.fit]) if capacity.fit > 0

default because := ""

because := sprintf(" (%s)", [concat("; ", reasons)]) if count(reasons) > 0

reasons := [sprintf("%d: %s", [r.nodes, r.reason]) |
	some r in array.slice(object.get(capacity, "reasons", []), 0, 3)
]

# Whoever starts the Job later may bring nodes first, so that a denial would be rash.
default later := ""

later := "; only a warning, since the Job is suspended and starts later" if input.training.suspended

later := sprintf("; only a warning, since queue %q decides when the Job starts", [input.training.queue]) if {
	input.training.queue != ""
	not input.training.suspended
}

default waits := {}

waits := {"action": "warn"} if later != ""

fix := concat("", [
	"let the pods onto the cluster's GPU nodes: check nodeSelector, affinity and tolerations, ",
	"and whether the nodes are ready and not cordoned",
]) if {
	capacity.eligible == 0
}

fix := "ask for fewer GPUs, less memory or less CPU per pod, or add larger nodes" if {
	capacity.eligible > 0
	capacity.fit == 0
}

fix := sprintf("train on at most %d nodes, ask for less per pod, or add nodes", [capacity.fit]) if {
	capacity.eligible > 0
	capacity.fit > 1
}

fix := "train on one node, ask for less per pod, or add nodes" if {
	capacity.eligible > 0
	capacity.fit == 1
}

# The finding stands at the first training container that asks for GPUs, else
# at the first of them.
trainers := [{"index": i, "name": c.name, "field": field(c)} |
	some i, c in manifest.spec.template.spec.containers
	c.name in input.training.containers
]

field(container) := "limits" if {
	some name, _ in container.resources.limits
	startswith(name, "nvidia.com/")
} else := ""

trainer := array.concat([t | some t in trainers; t.field == "limits"], trainers)[0]

default subject := ""

subject := sprintf("container %q: ", [trainer.name])

containers_path := array.concat(manifest.spec_path, ["template", "spec", "containers"])

default path := ["spec"]

path := array.concat(containers_path, [trainer.index, "resources", "limits"]) if trainer.field == "limits"

path := array.concat(containers_path, [trainer.index, "resources"]) if trainer.field == ""
