# METADATA
# title: Nodes that contradict the Job, or cannot find each other
# description: >-
#   The pods of a run over several nodes find rank 0 by a name made of the Job's
#   name, the pod's index and a headless Service. The Job's own numbers must agree
#   with the nodes asked for, the names must be valid, and the Service's name free.
# custom:
#   id: multi-node-shape
#   action: deny
#   fix: let the Job's numbers agree with its nodes, and give it a name by which its pods can be found
package tao.rules.multi_node_shape

import data.tao.lib.manifest

nodes := input.training.nodes if input.training.nodes > 1

# A 1 is the API server's default and cannot be told from a number that is not there.
violation contains {"path": manifest.nodes_path, "message": message, "fix": fix} if {
	manifest.has_nodes_annotation
	some field in ["completions", "parallelism"]
	number := manifest.spec[field]
	is_number(number)
	not number in {1, nodes}
	message := sprintf("the annotation asks for %d nodes, but %s is %d", [nodes, field, number])
	fix := sprintf("leave out %s, or set it to the number of nodes", [field])
}

violation contains {"path": name.path, "message": message, "fix": fix} if {
	not regex.match(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`, name.sample)
	message := sprintf("%d nodes find each other by host names made of the Job's name, which is no DNS label", [nodes])
	fix := "use only lower-case letters, digits and dashes, with a letter or digit at both ends"
}

violation contains {"path": name.path, "message": message, "fix": shorten(longest)} if {
	longest := (62 - count(format_int(nodes - 1, 10))) - name.reserve
	name.length > longest
	what := sprintf("the host name of the last pod, <name>-%d,", [nodes - 1])
	message := too_long(what, longest)
}

# A Service's name may not start with a digit, so that it gets a prefix.
violation contains {"path": name.path, "message": message, "fix": shorten(longest)} if {
	longest := 59 - name.reserve
	name.length > longest
	not subdomain
	regex.match(`^[0-9]`, name.sample)
	message := too_long("the name of its Service, tao-<name>,", longest)
}

violation contains {"path": subdomain_path, "message": message, "fix": fix} if {
	not regex.match(`^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$`, subdomain)
	message := sprintf("%d nodes need a Service named as the subdomain, and no Service can have that name", [nodes])
	fix := "use at most 63 lower-case letters, digits and dashes, starting with a letter, or leave it out"
}

violation contains {"path": service_path, "message": message, "fix": fix} if {
	foreign_service
	fix := "give the Job another name or subdomain, or delete that Service"
	some field, flaw in {"headless": "is not headless", "selectsJob": "does not select its pods"}
	not input.facts.service[field]
	message := sprintf("a Service named %q is already there, is not this Job's and %s", [input.training.service, flaw])
}

skipped contains "whether another Service has the name is not known: give --inventory with Services, or --cluster" if {
	nodes
	not input.facts.service
	service_path
}

# The Job's name. Injection makes one of generateName, however long that is: it
# cuts it to what fits. A CronJob's Jobs get a dash and up to 10 digits, and the
# API server adds 5 characters to its generateName, of which it takes 58.
name := {"path": ["metadata", "name"], "length": count(given), "sample": given, "reserve": cron_reserve} if {
	nodes
	given := manifest.document.metadata.name
	given != ""
} else := {
	"path": ["metadata", "generateName"],
	"length": generated_length(prefix),
	"sample": concat("", [prefix, "x"]),
	"reserve": 5 + cron_reserve,
} if {
	nodes
	prefix := manifest.document.metadata.generateName
	prefix != ""
}

generated_length(prefix) := min([58, count(prefix)]) if manifest.is_cron_job

else := 0

default cron_reserve := 0

cron_reserve := 11 if manifest.is_cron_job

too_long(what, longest) := sprintf(
	"the name has %d characters and at most %d fit: %s may have 63%s",
	[name.length, longest, what, added],
)

default added := ""

added := sprintf(", with the %d characters that are added to the name", [name.reserve]) if name.reserve > 0

shorten(longest) := sprintf("shorten the name to at most %d characters", [longest])

# A subdomain that is the Service's name in any case was most likely injected,
# so that the name is to blame.
subdomain := value if {
	nodes
	value := manifest.spec.template.spec.subdomain
	given := object.get(manifest.document.metadata, "name", "")
	not value in {"", given, concat("", ["tao-", given])}
}

subdomain_path := array.concat(manifest.spec_path, ["template", "spec", "subdomain"])

service_path := subdomain_path if subdomain

# Each Job of a CronJob has a Service of its own, under a name not known yet.
service_path := ["metadata", "name"] if {
	not subdomain
	not manifest.is_cron_job
}

foreign_service if {
	input.facts.service.exists
	not input.facts.service.ours
	nodes
}
