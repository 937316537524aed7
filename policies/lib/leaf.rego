# METADATA
# description: >-
#   The texts in a Job that may hold a secret, each with its place and with what a
#   person calls it. Texts that cannot hold one are left out early: they are most.
package tao.lib.leaf

import data.tao.lib.pod
import data.tao.lib.secret

# kubectl's copy of the whole manifest, and what injection wrote.
last_applied := "kubectl.kubernetes.io/last-applied-configuration"

injected := "tao.nvidia.com/injected"

# Each as {"path": …, "name": the name that the text is the value of, or "",
# "text": …, "owner": whose it is, "what": what it is, "of": which sort of place}.
leaves contains leaf if {
	secret.suspicious(sprintf("%v%v", [pod.template, metadata_parts]))
	some leaf in (variables | others)
}

# Variables are many, so that they have a way of their own.
variables contains leaf if {
	some c in pod.containers
	some i, variable in c.spec.env
	secret.suspicious(concat("=", [variable.name, variable.value]))
	leaf := {
		"path": array.concat(c.path, ["env", i, "value"]),
		"name": variable.name,
		"text": variable.value,
		"owner": owner(c),
		"what": sprintf("env %s", [secret.shown(variable.name)]),
		"of": "env",
	}
}

variables contains leaf if {
	some c in pod.containers
	some i, variable in c.spec.env
	secret.suspicious(variable.name)
	leaf := {
		"path": array.concat(c.path, ["env", i, "name"]),
		"name": "",
		"text": variable.name,
		"owner": owner(c),
		"what": "the name of a variable",
		"of": "key",
	}
}

others contains leaf if {
	some part in parts
	secret.suspicious(sprintf("%v", [part.value]))
	walk(part.value, [path, text])
	is_string(text)
	name := name_at(part, path)
	secret.suspicious(sprintf("%s=%s", [name, text]))
	leaf := {
		"path": array.concat(part.path, path),
		"name": name,
		"text": text,
		"owner": part.owner,
		"what": what(part, path, name),
		"of": part.of,
	}
}

# Keys that their author chooses may hold a secret as well.
others contains leaf if {
	some part in parts
	secret.suspicious(sprintf("%v", [part.value]))
	walk(part.value, [path, value])
	is_object(value)
	free(part, path)
	some key, _ in value
	secret.suspicious(key)
	leaf := {
		"path": array.concat(part.path, path),
		"name": "",
		"text": key,
		"owner": part.owner,
		"what": "the name of an entry",
		"of": "key",
	}
}

parts := array.concat(metadata_parts, array.concat([pod_part | pod.spec], container_parts))

# Annotations and labels of the CronJob, of the Job and of its pods.
metadata_parts := [part |
	some at in {[], pod.job_path, pod.template_path}
	some field, called in {"annotations": "annotation", "labels": "label"}
	path := array.concat(at, ["metadata", field])
	entries := object.get(pod.document, path, {})
	part := {
		"path": path,
		"value": object.remove(entries, [last_applied, injected]),
		"copy": object.get(entries, last_applied, ""),
		"owner": "",
		"what": called,
		"of": called,
	}
]

pod_part := {
	"path": pod.spec_path,
	"value": object.remove(pod.spec, object.keys(pod.kinds)),
	"owner": "",
	"what": "",
	"of": "volume",
}

container_parts := [part |
	some c in pod.containers
	part := {
		"path": c.path,
		"value": object.remove(c.spec, ["env", "envFrom", "name", "resources"]),
		"owner": owner(c),
		"what": "",
		"of": "command",
	}
]

owner(c) := sprintf("%s %q: ", [owners[c.kind], secret.shown(c.spec.name)])

owners := {"container": "container", "init": "init container", "ephemeral": "ephemeral container"}

# Maps whose keys name their values.
free(part, path) if {
	part.what != ""
	path == []
}

free(_, path) if path[count(path) - 1] in {"volumeAttributes", "options"}

name_at(part, path) := path[count(path) - 1] if {
	free(part, array.slice(path, 0, count(path) - 1))
} else := object.get(part.value, array.concat(array.slice(path, 0, count(path) - 1), ["name"]), "") if {
	path[count(path) - 1] == "value"
	path[count(path) - 3] == "httpHeaders"
} else := ""

what(part, path, name) := sprintf("%s %s", [part.what, secret.shown(name)]) if {
	part.what != ""
} else := sprintf("volume %q: %s", [part.value.volumes[path[1]].name, concat(".", steps(path, 2))]) if {
	path[0] == "volumes"
} else := concat(".", steps(path, 0))

# The keys among the steps of a path; an own key of the author's only if it may be shown.
steps(path, from) := [secret.shown(step) |
	some step in array.slice(path, from, count(path))
	is_string(step)
]
