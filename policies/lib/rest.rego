# METADATA
# description: >-
#   Texts of a Job where nobody expects a secret: names, selectors, images, paths.
#   No name there says what its value is, so that only what has a form of its own is
#   told, also in base64.
package tao.lib.rest

import data.tao.lib.leaf
import data.tao.lib.pod
import data.tao.lib.secret_format

# Each as {"path": …, "kind": …, "key": whether it is the name of an entry of what
# stands there}.
found contains {"path": path, "kind": kind, "key": false} if {
	leaf.formed
	walk(searched, [path, text])
	is_string(text)
	secret_format.suspicious(text)
	some kind in secret_format.found(text)
}

found contains {"path": path, "kind": kind, "key": false} if {
	leaf.encoded
	walk(searched, [path, text])
	is_string(text)
	glob.match(secret_format.any_encoded, null, text)
	some part in array.concat([text], split(text, "/")) # which base64 has as well as paths
	some plain in secret_format.decoded(part)
	some kind in secret_format.found(plain)
}

found contains {"path": path, "kind": kind, "key": true} if {
	leaf.formed
	walk(searched, [path, value])
	is_object(value)
	some key, _ in value
	secret_format.suspicious(key)
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
