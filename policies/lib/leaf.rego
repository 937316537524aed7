# METADATA
# description: >-
#   The texts in a Job that may hold a secret, each with its place and with what a
#   person calls it. Texts that cannot hold one are left out early: they are most.
package tao.lib.leaf

import data.tao.lib.pod
import data.tao.lib.secret
import data.tao.lib.secret_format
import data.tao.lib.secret_text

# kubectl's copy of the whole manifest, and our own record, which quotes nothing.
last_applied := "kubectl.kubernetes.io/last-applied-configuration"

passed_over := [last_applied, "tao.nvidia.com/injected"]

# Where containers stand, and their fields that may hold texts of the author's.
kinds := ["containers", "initContainers", "ephemeralContainers"]

fields := ["command", "args", "livenessProbe", "readinessProbe", "startupProbe", "lifecycle", "workingDir"]

# Maps of metadata whose values are the author's.
maps := ["annotations", "labels"]

# Two looks tell of most Jobs that there is nothing to look for: one at everything,
# for what has a form of its own, and one at what may name a secret.
default worth_a_look := false

worth_a_look if formed

worth_a_look if named

default formed := false

formed if secret_format.suspicious(everything)

# Whether there may be something in base64, wherever it stands.
default encoded := false

encoded if glob.match(secret_format.any_encoded, null, everything)

everything := sprintf("%v", [own])

# All that is not kubectl's.
own := json.remove(pod.document, [["metadata", "annotations", last_applied]]) if {
	pod.document.metadata.annotations[last_applied]
} else := pod.document

default named := false

# Variables without a value are left out only then: to look at each takes longer.
named if {
	hinted(sprintf("%v", [[object.remove(v, referring) | v := pod.spec[kinds[_]][_]]]))
	hinted(sprintf("%v", [[
		[v | v := pod.spec[kinds[_]][_].env[_]; v.value],
		[object.remove(object.remove(v, referring), ["env"]) | v := pod.spec[kinds[_]][_]],
	]]))
}

named if hinted(sprintf("%v", [[
	[v | some v in pod.spec.volumes; holds_texts(v)],
	[object.remove(v, passed_over) | v := pod.document.metadata[maps[_]]],
	[object.remove(v, passed_over) | v := pod.template.metadata[maps[_]]],
	[object.remove(v, passed_over) | v := pod.document.spec.jobTemplate.metadata[maps[_]]],
]]))

hinted(text) if glob.match(secret_text.any_word, null, lower(text))

hinted(text) if glob.match(secret_format.any_encoded, null, text)

# Fields of containers that name other objects and places.
referring := ["envFrom", "image", "name", "ports", "resources", "securityContext", "volumeDevices", "volumeMounts"]

# Each as {"part": …, "path": …, "name": the name that the text is the value of,
# or "", "text": …, "key": whether the text is itself a key}.
leaves contains leaf if {
	worth_a_look
	some part in parts
	secret.suspicious(sprintf("%v", [part.value]))
	some leaf in (values(part) | keys(part))
	secret.suspicious(concat("=", [leaf.name, leaf.text]))
}

leaves contains leaf if {
	worth_a_look
	some c in pod.containers
	some i, variable in c.spec.env
	value := variable.value
	not value in {"", "0", "1", "true", "false"}
	suspicious(variable.name, value)
	leaf := {
		"part": env_part(c), "path": array.concat(c.path, ["env", i, "value"]), "text": value,
		"name": variable.name, "key": false,
	}
}

leaves contains leaf if {
	worth_a_look
	some c in pod.containers
	some i, variable in c.spec.env
	count(variable.name) > 20
	secret.suspicious(variable.name)
	leaf := {
		"part": env_part(c), "path": array.concat(c.path, ["env", i, "name"]), "text": variable.name,
		"name": "", "key": true,
	}
}

env_part(c) := {"path": array.concat(c.path, ["env"]), "owner": c, "what": "", "of": "env"}

suspicious(name, _) if glob.match(secret_text.named, null, lower(name))

suspicious(_, value) if secret.suspicious(value)

values(part) := {leaf |
	walk(part.value, [path, text])
	is_string(text)
	leaf := {
		"part": part, "path": array.concat(part.path, path), "text": text,
		"name": name_at(part, path), "key": false,
	}
}

# Keys that their author chooses may hold a secret as well.
keys(part) := {leaf |
	walk(part.value, [path, value])
	is_object(value)
	free(part, path)
	some key, _ in value
	leaf := {
		"part": part, "path": array.concat(part.path, path), "text": key,
		"name": "", "key": true,
	}
}

parts := array.flatten([metadata_parts, container_parts, volume_parts])

# The metadata of the CronJob, of the Job and of its pods, by where they stand.
metadata := {
	[]: object.get(pod.document, "metadata", {}),
	pod.job_path: object.get(pod.job, "metadata", {}),
	pod.template_path: object.get(pod.template, "metadata", {}),
}

metadata_parts := [part |
	some at, of_one in metadata
	some field, called in {"annotations": "annotation", "labels": "label"}
	part := {
		"path": array.concat(at, ["metadata", field]), "value": object.remove(of_one[field], passed_over),
		"owner": {}, "what": called, "of": called,
	}
]

container_parts := [part |
	some c in pod.containers
	some field in fields
	value := c.spec[field]
	part := {"path": array.concat(c.path, [field]), "value": value, "owner": c, "what": "", "of": "command"}
]

volume_parts := [part |
	some i, volume in pod.spec.volumes
	holds_texts(volume)
	part := {"path": array.concat(pod.spec_path, ["volumes", i]), "value": volume, "owner": volume, "what": "", "of": "volume"}
]

# Volumes of most kinds only refer to something.
holds_texts(volume) if {
	some kind, _ in volume
	not kind in {"name", "secret", "configMap", "emptyDir", "persistentVolumeClaim", "projected", "downwardAPI"}
}

# Maps whose keys name their values.
free(part, path) if {
	part.what != ""
	path == []
}

free(_, path) if path[count(path) - 1] in {"volumeAttributes", "options", "annotations"}

name_at(part, path) := path[count(path) - 1] if {
	free(part, array.slice(path, 0, count(path) - 1))
} else := object.get(part.value, array.concat(array.slice(path, 0, count(path) - 1), ["name"]), "") if {
	path[count(path) - 1] == "value"
	path[count(path) - 3] == "httpHeaders"
} else := ""

# Whose a text is, and what a person calls it.
owner(part) := sprintf("%s %q: ", [owners[part.owner.kind], secret.shown(part.owner.spec.name)]) if {
	part.owner.kind
} else := sprintf("volume %q: ", [secret.shown(part.value.name)]) if {
	part.of == "volume"
} else := ""

owners := {"container": "container", "init": "init container", "ephemeral": "ephemeral container"}

what(leaf) := "the name of an entry" if {
	leaf.key
} else := sprintf("env %s", [secret.shown(leaf.name)]) if {
	leaf.part.of == "env"
} else := sprintf("%s %s", [leaf.part.what, secret.shown(leaf.name)]) if {
	leaf.part.what != ""
} else := concat(".", [secret.shown(step) |
	some step in below(leaf)
	is_string(step)
])

# The steps from a container or volume to a text; an own key of the author's only
# if it may be shown.
below(leaf) := array.slice(leaf.path, count(leaf.part.path), count(leaf.path)) if {
	leaf.part.of == "volume"
} else := array.slice(leaf.path, count(leaf.part.path) - 1, count(leaf.path))
