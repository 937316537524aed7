# METADATA
# description: >-
#   Texts of a Job where nobody expects a secret: names, selectors, images, paths.
#   No name there says what its value is, so that only what has a form of its own is
#   told.
package tao.lib.rest

import data.tao.lib.leaf
import data.tao.lib.pod
import data.tao.lib.secret_format

# Each as {"path": …, "kind": …, "key": whether it is the name of an entry}.
found contains {"path": path, "kind": kind, "key": false} if {
	worth_a_look
	walk(searched, [path, text])
	is_string(text)
	some kind in secret_format.found(text)
}

found contains {"path": array.concat(path, [key]), "kind": kind, "key": true} if {
	worth_a_look
	walk(searched, [path, value])
	is_object(value)
	some key, _ in value
	some kind in secret_format.found(key)
}

# Paths are those of the object, so that all of it is searched, once it is known
# that there is something to find. The copy of kubectl's is another's to look at.
searched := json.remove(pod.document, [sprintf("%s/%s", [concat("/", at), escaped]) |
	some path, _ in leaf.metadata
	at := array.concat(path, ["metadata", "annotations"])
	some name in leaf.passed_over
	escaped := replace(name, "/", "~1")
])

# What leaf reads is left out here: most of the texts.
default worth_a_look := false

worth_a_look if secret_format.suspicious(sprintf("%v", [[
	object.remove(pod.spec, array.concat(leaf.kinds, ["volumes"])),
	[object.remove(c, array.concat(leaf.fields, ["env"])) | c := pod.spec[leaf.kinds[_]][_]],
	[v.valueFrom | v := pod.spec[leaf.kinds[_]][_].env[_]],
	[v | some v in pod.spec.volumes; not leaf.holds_texts(v)],
	[object.remove(m, array.concat(leaf.maps, ["managedFields"])) | some m in leaf.metadata],
	object.remove(pod.job.spec, ["template"]),
	object.remove(pod.document.spec, ["template", "jobTemplate"]),
	object.remove(pod.document, ["metadata", "spec", "status"]),
]]))
