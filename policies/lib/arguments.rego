# METADATA
# description: >-
#   Commands whose words are elements of a list: a flag and its value are two of
#   them, and the command before tells what a short flag means.
package tao.lib.arguments

import data.tao.lib.leaf
import data.tao.lib.pod
import data.tao.lib.secret
import data.tao.lib.secret_text

# Each as {"path": …, "owner": …, "what": …, "name": the flag, "kind": …, "of": "command"}.
found contains finding if {
	some list in lists
	some i, item in list.items
	startswith(item.text, "-")
	glob.match(secret_text.named, null, lower(item.text))
	regex.match(`^--?[\w.-]+$`, item.text)
	value := list.items[i + 1]
	not startswith(value.text, "-")
	kind := secret.kind(item.text, value.text)
	finding := placed(list, value, item.text, kind)
}

found contains finding if {
	some list in lists
	line := concat(" ", [i.text | some i in list.items; not regex.match(`\s`, i.text)])
	some pair in (secret_text.command_pairs(line) | secret_text.entry_pairs(line))
	kind := secret.pair_kind(pair)
	some item in list.items
	endswith(item.text, pair.value)
	finding := placed(list, item, pair.name, kind)
}

placed(list, item, name, kind) := {
	"path": item.path, "owner": list.owner, "what": item.what,
	"name": name, "kind": kind, "of": "command",
}

# The command and the arguments of a container are one list.
lists contains {"owner": leaf.owner({"owner": c, "of": "command"}), "items": items} if {
	some c in pod.containers
	items := [{"path": array.concat(c.path, [field, i]), "what": field, "text": text} |
		some field in ["command", "args"]
		some i, text in c.spec[field]
	]
	telling(items)
}

lists contains {"owner": leaf.owner({"owner": c, "of": "command"}), "items": items} if {
	some c in pod.containers
	some field in ["livenessProbe", "readinessProbe", "startupProbe", "lifecycle"]
	walk(c.spec[field], [path, list])
	path[count(path) - 2] == "exec"
	is_array(list)
	items := [{
		"path": array.flatten([c.path, field, path, i]),
		"what": concat(".", array.concat([field], path)),
		"text": text,
	} |
		some i, text in list
	]
	telling(items)
}

telling(items) if secret.suspicious(concat(" ", [item.text | some item in items]))
