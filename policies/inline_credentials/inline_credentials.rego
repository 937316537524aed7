# METADATA
# title: Credential written as a literal
# description: >-
#   A literal credential in a Job is readable in etcd, in Git, in every copy of the
#   manifest, and to everyone who may read Jobs. Variables, commands, arguments,
#   probes, hooks, annotations and volumes of all containers are searched.
# custom:
#   id: inline-credentials
#   action: deny
#   fix: keep it in a Secret, read it through valueFrom.secretKeyRef or $(NAME), and replace the one that was written down
package tao.rules.inline_credentials

import data.tao.lib.arguments
import data.tao.lib.leaf
import data.tao.lib.rest
import data.tao.lib.secret
import data.tao.lib.secret_format

violation contains finding if some finding in findings

violation contains finding if {
	some place in rest.found
	not place.path in {f.path | some f in findings}
	finding := report({
		"path": place.path, "owner": "", "what": where(place),
		"name": "", "kind": place.kind, "of": "elsewhere",
	})
}

# The copy is looked at only when the Job itself is clean: else all would be there twice.
violation contains finding if {
	count(findings) == 0
	some at, metadata in leaf.metadata
	some kind in copied(metadata.annotations[leaf.last_applied])
	path := array.concat(at, ["metadata", "annotations", leaf.last_applied])
	finding := report({
		"path": path, "owner": "", "what": sprintf("annotation %s", [leaf.last_applied]),
		"name": "", "kind": kind, "of": "annotation",
	})
}

where(place) := "the name of an entry" if {
	place.key
} else := concat(".", [secret.shown(step) | some step in place.path; is_string(step)])

# What a manifest in a text holds, also as the value of a name.
copied(text) := array.concat([kind | some kind in secret_format.found(text)], [kind |
	walk(json.unmarshal(text), [_, entry])
	kind := secret.kind(entry.name, entry.value)
])

findings contains finding if {
	some l in leaf.leaves
	some s in secrets(l)
	finding := report({
		"path": l.path, "owner": leaf.owner(l.part), "what": leaf.what(l),
		"name": s.name, "kind": s.kind, "of": sort_of(l),
	})
}

findings contains report(found) if {
	leaf.worth_a_look
	some found in arguments.found
}

# A text that is a secret as a whole, or holds some.
secrets(l) := {{"name": "", "kind": secret.kind(l.name, l.text)}} if {
	l.name != ""
} else := secret.found(l.text)

sort_of(l) := "key" if l.key

else := l.part.of

report(found) := {
	"path": shown(found.path),
	"message": sprintf("%s%s%s holds a literal %s", [found.owner, found.what, within(found.name), found.kind]),
	"fix": fixes[found.of],
}

# A path ends before a name that is a secret itself.
shown(path) := array.slice(path, 0, min({i | some i, step in path; a_secret(step)} | {count(path)}))

a_secret(step) if count(secret_format.found(step)) > 0

default within(_) := ""

within(name) := sprintf(" (%s)", [secret.shown(name)]) if name != ""

fixes := {
	"env": "keep it in a Secret and write valueFrom: {secretKeyRef: {name: <Secret>, key: <key>}} in place of value",
	"command": "keep it in a Secret, make it a variable by envFrom or valueFrom.secretKeyRef, and write $(NAME) here",
	"annotation": "delete it here: annotations are no place for secrets; let the container read a Secret",
	"label": "delete it here: labels are no place for secrets; let the container read a Secret",
	"volume": "keep it in a Secret and refer to that: nodePublishSecretRef for csi, secretRef for other volumes",
	"elsewhere": "delete it here: this is no place for a secret; keep it in a Secret, and let the container read that",
	"key": "delete it here; keep it in a Secret, and let the container read that",
}
