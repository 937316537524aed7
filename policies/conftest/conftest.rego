# METADATA
# title: The rules as conftest asks for them
# description: >-
#   conftest reads the sets deny and warn of the package main, and wants a msg where
#   our violations have a message. Nothing else uses this package.
package main

import data.tao.conftest.actions
import data.tao.lib.pod

deny contains failure if some failure in failures.deny

warn contains failure if some failure in failures.warn

# By action. A rule may weaken its own for one violation; one that is not built in
# denies.
failures[action] contains failure if {
	labelled
	some name

	# regal ignore:mixed-iteration,unresolved-reference
	some violation in data.tao.rules[name].violation
	action := object.get(violation, "action", object.get(actions.by_rule, name, "deny"))
	id := replace(name, "_", "-")
	failure := object.union(
		object.remove(violation, ["message", "action"]),
		{"rule": id, "msg": sprintf("%s: %s", [id, violation.message])},
	)
}

# As for the webhook: whatever else a chart renders is none of our business.
labelled if {
	pod.document.kind in {"Job", "CronJob"}
	pod.job.metadata.labels["tao.nvidia.com/job"]
}
