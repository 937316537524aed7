# METADATA
# title: Pods that the namespace's ResourceQuota will not let start
# description: >-
#   A ResourceQuota refuses pods beyond what it leaves, and those that do not say
#   how much CPU and memory they want where it counts these. The Job is there all
#   the same: its controller tries again and again, while the pods that started
#   wait for the others and hold their GPUs.
# custom:
#   id: resource-quota
#   action: warn
#   fix: >-
#     ask for less per pod or for fewer pods, wait until others of the namespace
#     are done, or have the quota raised
package tao.rules.resource_quota

import data.tao.lib.manifest
import data.tao.lib.pod

violation contains {"path": pod.spec_path, "message": message} if {
	some e in quota.exceeded
	not objects[e.resource]
	message := sprintf("ResourceQuota %q leaves room for %d of the %s: %s asked for of %s, and %s of %s used%s", [
		e.quota, e.pods, pods, e.asked, e.resource, e.used, e.hard, later,
	])
}

violation contains {"path": manifest.spec_path, "message": message, "fix": object_fix} if {
	some e in quota.exceeded
	message := sprintf("ResourceQuota %q leaves no room for %s: %s of %s %s used%s", [
		e.quota, objects[e.resource], e.used, e.hard, e.resource, later,
	])
}

violation contains {"path": path, "message": message, "fix": fix} if {
	some l in quota.lacking
	path := place(l.container)
	resources := concat(", ", [spelt(r) | some r in l.resources])
	message := sprintf("container %q has no %s, which ResourceQuota %q counts: the API server will refuse the pods%s", [
		l.container, resources, l.quota, later,
	])
	fix := sprintf("give the container %s, or have a LimitRange set defaults in the namespace", [resources])
}

skipped contains "the namespace's ResourceQuotas are not known: give --inventory with ResourceQuotas, or --cluster" if {
	not input.facts.quota
}

quota := input.facts.quota

default pods := "1 pod"

pods := sprintf("%d pods", [quota.want]) if quota.want > 1

# What comes with the Job beside its pods.
objects := {
	"count/jobs.batch": "the Job",
	"count/services": "the headless Service of the Job",
	"services": "the headless Service of the Job",
}

object_fix := "delete what is no longer needed, as spec.ttlSecondsAfterFinished does with Jobs, or have the quota raised"

spelt(name) := sprintf("request of %s", [trim_prefix(name, "requests.")]) if not startswith(name, "limits.")

spelt(name) := sprintf("limit of %s", [trim_prefix(name, "limits.")]) if startswith(name, "limits.")

# An injected container is not in what its author wrote.
place(name) := array.concat(path, ["resources"]) if {
	path := [c.path | some c in pod.containers; c.spec.name == name][0]
} else := pod.spec_path

default later := ""

later := "; that may change until the suspended Job starts" if input.training.suspended
