# METADATA
# description: >-
#   Whether a value is a secret written out, rather than a reference to one, a
#   placeholder for one, or a word that only says where to look.
package tao.lib.secret_value

# What a password may be: any literal.
literal(value) if {
	text := bare(value)
	not regex.match(`^[0-9]{0,3}$`, text) # how often, rather than what
	not reference(text)
	not placeholder(text)
	not elsewhere(text)
}

# What a token or key may be: of some length, in one piece, and no mere word of
# the kind that selects how to log in.
opaque(value) if {
	literal(value)
	text := bare(value)
	count(text) >= 6
	not regex.match(`\s`, text)
	not regex.match(plain, text)
}

# What is a secret even under a name that says little: letters of both cases and
# digits without the look of words.
random(value) if {
	opaque(value)
	text := bare(value)
	regex.match(`^[A-Za-z0-9+/=_~.-]{16,}$`, text)
	jumbled(text)
}

jumbled(text) if {
	regex.match(`[0-9]`, text)
	regex.match(`[a-z]`, text)
	regex.match(`[A-Z]`, text)
	not regex.match(`^[A-Za-z]+(?:[._/-][A-Za-z0-9]+)+$`, text)
}

# Without quotes and what escapes them; what is baked into ${NAME:-default} is
# the value that counts.
bare(value) := text if {
	some default_value in regex.find_all_string_submatch_n(`\$\{\w+:?[-=]([^{}$]+)\}`, value, 1)
	text := unquoted(default_value[1])
} else := text if {
	some printed in regex.find_all_string_submatch_n(`^["']?\$\([ \t]*(?:echo|printf)[ \t]+(?:-[neE]+[ \t]+)?([^()$|]+)\)["']?$`, value, 1)
	text := unquoted(printed[1])
} else := unquoted(value)

unquoted(value) := trim_space(strings.replace_n({`"`: "", `'`: "", `\`: ""}, replace(value, `\n`, " ")))

# $NAME, ${NAME}, $(NAME), $(command), `command`, %NAME%, templates. What is left
# beside them is a secret only when it looks like one.
reference(text) if {
	# regal ignore:non-raw-regex-pattern
	regex.match("^\\$[A-Za-z_{(]|\\$[{(]|\\$[A-Z_]{2}|`|\\{\\{|^\\{%|^%\\w+%$|^<%|^!\\w+|^@+\\w+@+$|^%\\{|^%\\(", text)

	# regal ignore:non-raw-regex-pattern
	rest := regex.replace(text, "\\$\\{[^}]*\\}|\\$\\([^)]*\\)|\\$\\w+|`[^`]*`|\\{\\{[^}]*\\}\\}|%\\w+%", "")
	not leftover(rest)
	not jumbled_name(text)
}

leftover(text) if {
	regex.match(`^[A-Za-z0-9+=_~-]{12,}$`, text)
	regex.match(`[0-9].*[0-9]`, text)
	not regex.match(`^[-_]?[A-Za-z]+(?:[_-][A-Za-z0-9]+)*$`, text)
}

leftover(text) if regex.match(`^[_-]?[A-Z0-9]*[A-Z]{4}[A-Z0-9]*[0-9]{3}$`, text)

# A password may begin with a dollar as well.
jumbled_name(text) if {
	regex.match(`^\$\w+$`, text)
	jumbled(text)
}

# What stands in for a secret that is to be filled in, or says that there is none.
placeholder(text) if regex.match(empty_words, text)

placeholder(text) if regex.match(to_be_filled, text)

empty_words := concat("", [
	`(?i)^(?:|-|true|false|yes|no|on|off|none|null|nil|undefined|unset|empty|n/?a|not[ _-]?(?:set|used|needed|required|real|applicable|available|provided)`,
	`|unused|unneeded|ignored|no[ _-]?(?:need|password|token|secret|auth|(?:api[ _-]?)?key)(?:[ _-](?:needed|required))?`,
	`|dummy|fake|mock|placeholder|example|sample|todo|tbd|fixme|foo|bar|baz|foobar|tlt_encode|nvidia_tlt|nvidia_tao`,
	`|token|key|apikey|api[_-]key|credentials?|value|string|str|int|bool|optional|required`,
	`|no-?key(?:-required)?|sk-(?:dummy|fake|unused|no-?key(?:-required)?|local|test|none)|[*.x#?_=-]+|0+|1+|a+|…+)$`,
])

to_be_filled := concat("", [
	`^<.*>$|^&lt;.*&gt;$|^[•●∗]+$|^(?i:my|the|some|a)[ _-]?(?i:token|key|secret|pass|password)$|^\{\w*\}$|^#\{.*\}#?$|^\(\(.*\)\)$|^\[[A-Za-z _-]*\]$|^__\w+__$|^\$\$|^\.\.\.|\.\.\.|…|\*{3}|(?i:x{5}|#{3})|<[A-Za-z _-]+>|EXAMPLE|0{8}`,
	`|^[A-Za-z]{0,6}[-_]?(?:0?123456789|(?i:abcdefgh))(?:[0-9a-z_-]*|[0-9A-Z_-]*|[a-zA-Z]*[0-9]*)$|[-_]x{3,}$`,
	`|(?i)(?:^|[^a-z])(?:your|yours|change[ _-]?(?:me|it|this)|replaced?(?:[ _-]?(?:me|this|with))?|to[ _-]be|redacted|placeholder|example|sample|dummy`,
	`|unused|unneeded|insert|enter|todo|tbd|fixme|fill[ _-]?(?:me|in)|notreal|not[ _-]a[ _-]real|fake|goes[ _-]?here|here|not[ _-](?:needed|used|required|set)`,
	`|provide[dr]?|paste|put[ _-]|set[ _-]?(?:me|this|in|by|via)|supplied|injected|overrid(?:e|den)|hidden|masked|removed|censored|secret[ _-]?here)(?:[^a-z]|$)`,
	`|^(?:(?i)your|changeme|replaceme|insert|enter)[A-Z_ -]`,
	`|^[A-Z]+(?:_[A-Z]+)*_(?:TOKEN|KEY|SECRET|PASSWORD|PASS|PAT)(?:_HERE)?$|^(?:TOKEN|KEY|SECRET|PASSWORD|PASS)$`,
	`|(?i)^my[ _-](?:[a-z]+[ _-])*(?:token|key|secret|password|pass)$`,
])

# A place where the secret is kept.
elsewhere(text) if regex.match(place, text)

elsewhere(text) if {
	startswith(text, "/")
	not regex.match(`^[A-Za-z0-9/+=]{40,}$`, text)
}

place := concat("", [
	`(?i)^(?:[a-z-]*secrets?-?manager:|@microsoft\.keyvault\(|\.{1,2}/|~/|[a-z]:\\|[a-z][a-z0-9+.-]*://|arn:|@/?[\w./-]+$|id=|src=|type=`,
	`|(?:ssm|vault|secretsmanager|secretmanager|secret|secrets|secretref|op|gcp|gsm|sm|kms|alias|env|file|awssm|akv|keyvault|bao`,
	`|doppler|k8s|ref\+\w+|projects|valuefrom|configmap|keychain|keyring|projects|parameter|parameterstore|conjur|sops)[:/]`,
	`|enc\[|mounted[ _-]|(?:os|process|ENV|System|args|self|cfg|config|conf|settings|opts?)(?:\.\w+)+$)`,
	`|^[A-Za-z_]+(?:\.[A-Za-z_]+)+$`,
])

# Numbers and sizes, names of files, Secrets, and the words that select how to log in.
plain := concat("", [
	`^(?i:[0-9.,:_+-]+(?:[a-z%]{1,2})?|[0-9]+(?:e-?[0-9]+)|[\w-]+\.(?:json|ya?ml|txt|pem|key|crt|cfg|conf|ini|env|py|sh|toml)`,
	`|v?[0-9]+(?:\.[0-9]+)+[\w.+-]*`,
	`|basic|bearer|digest|negotiate|ntlm|kerberos|gssapi|oauth2?|oidc|saml|ldap|iam|certificate|mtls|tls|ssl|anonymous|enabled`,
	`|disabled|default|auto|always|never|ifnotpresent|scram-sha-[0-9]+|md5|trust|noauth|application[_-]default|environment|browser`,
	`|workload[_-]?identity|irsa|instance[_-]?profile|imds|vault|keyring|store|cached?|manager|system|service-?account|username`,
	`|none|public|private|shared|internal|external|cluster|unlimited|random|generate[d]?|prompt|stdin|netrc|regcred|inline|in-cluster`,
	`|(?-i:[a-z0-9]+(?:[.-][a-z0-9]+)*[.-](?:(?:secrets?|creds?|credentials?|tls|auth)(?:[.-][a-z0-9]+)*|tokens?|keys?|password|sa))`,
	`|(?:tao|ngc|hf|wandb|aws|s3)-(?:secret|creds?|credentials?|token|keys?)[a-z0-9.-]*`,
	`|nothing|anything|whatever|missing|ignore|irrelevant|blank|offline|password|passwd|secret|testing|(?:get|load|read|fetch|find|make)_[a-z_]+)$`,
	`|^[A-Z]+(?:_[A-Z]+)+$|^[a-z]+(?:_[a-z]+)*_(?:token|key|secret|password|id|at|name)$`,
])
