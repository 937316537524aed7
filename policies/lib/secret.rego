# METADATA
# description: >-
#   Whether there is a secret in a name and its value, or anywhere in a text. What
#   is said about it holds names and kinds only, never a part of the value.
package tao.lib.secret

import data.tao.lib.secret_format
import data.tao.lib.secret_name
import data.tao.lib.secret_text
import data.tao.lib.secret_value

# Whether text may hold a secret at all: a search for all words of the names, the
# commands and the formats costs less than one expression.
suspicious(text) if glob.match(secret_text.any_word, null, lower(text))

suspicious(text) if secret_format.suspicious(text)

suspicious(text) if glob.match(secret_format.any_encoded, null, text)

suspicious(text) if coded(text)

# Whether text is base64 of one that may.
coded(text) if {
	plain := base64.decode(secret_format.one_code(text))
	glob.match(secret_text.any_word, null, lower(plain))
}

coded(text) if secret_format.suspicious(base64.decode(secret_format.one_code(text)))

# What kind of secret the value is that a name is given, if it is one, or holds one
# in what is encoded in it.
kind(name, value) := is if {
	is := as_it_is(name, value)
} else := [s.kind |
	some plain in secret_format.decoded(value)
	some s in told(plain)
][0]

as_it_is(name, value) := concat(" or ", forms) if {
	forms := secret_format.found(value)
	count(forms) > 0
} else := called(name) if {
	text := without_scheme(name, value)
	secret_value.literal(text) # cheaper than what the name says
	suits(secret_name.class(name), text)
}

# Secrets in a text or in what is encoded in it, as {"name": …, "kind": …}; the name
# is "" where only the form tells.
found(text) := set() if {
	not suspicious(text)
} else := told(text) | {{"name": "", "kind": s.kind} |
	some plain in secret_format.decoded(text)
	some s in told(plain)
}

told(text) := named | {{"name": "", "kind": form} |
	some form in secret_format.found(text)
	not form in {n.kind | some n in named}
} if {
	named := {{"name": p.name, "kind": k} |
		some p in secret_text.pairs(text)
		k := pair_kind(p)
	}
}

pair_kind(pair) := as_it_is(pair.name, pair.value) if not pair.command

pair_kind(pair) := called(pair.name) if {
	pair.command
	secret_value.literal(pair.value)
}

suits("password", _)

suits("secret", text) if secret_value.opaque(text)

suits("login", text) if {
	secret_value.opaque(text)
	not regex.match(`^(?:[a-z]+[0-9]{0,3}(?:[-_. ][a-z]*[0-9]{0,3})*|[A-Za-z. -]+)$`, text)
}

suits("identity", text) if regex.match(`^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`, text)

suits("identity", text) if secret_value.random(text)

suits("vague", text) if secret_value.random(text)

# Authorization: Bearer …
without_scheme(name, value) := regex.replace(value, `^(?i:bearer|basic|token|apikey|digest)\s+`, "") if {
	regex.match(`(?i)auth`, name)
} else := value

# What a person calls the secret under a name.
called(name) := [owner.is | some owner in owners; regex.match(owner.of, words)][0] if {
	words := secret_name.joined(name)
}

owners := [
	{"of": `_wandb_`, "is": "W&B API key"},
	{"of": `_(?:ngc|nvcr)_`, "is": "NGC API key"},
	{"of": `_(?:hf|hugging_?face)_`, "is": "Hugging Face token"},
	{"of": `pass|pwd|_pw_|^_[pu]_$`, "is": "password"},
	{"of": `token|bearer|jwt|_pat_`, "is": "token"},
	{"of": `_aws_`, "is": "AWS key"},
	{"of": `api_?key`, "is": "API key"},
	{"of": `key`, "is": "key"},
	{"of": `cred|auth`, "is": "credential"},
	{"of": ``, "is": "secret"},
]

# A name as a message may show it: one that could itself hold a secret is not shown.
shown(name) := name if {
	regex.match(`^[A-Za-z0-9_./:@ -]{1,80}$`, name)
	count(secret_format.found(name)) == 0
	not regex.match(`[0-9a-fA-F]{20}`, name)
	every part in regex.split(`[_./:@ -]+`, name) {
		not hides(part)
	}
} else := "(name withheld)"

hides(part) if {
	count(part) >= 12
	secret_value.jumbled(part)
}
