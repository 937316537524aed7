# METADATA
# description: >-
#   Names and what they are given, in text of any kind: shell scripts, flags, JSON,
#   YAML, Python, query strings. The text is read as pairs {"name": …, "value": …}.
package tao.lib.secret_text

# Text without any of these words has no such pair. Lower case.
words := "*pass*,*pwd*,*_pw*,*secret*,*token*,*key*,*cred*,*auth*,*bearer*,*jwt*,*_pat*,*-pat*,*_sas*,*-sas*,*cookie*"

named := sprintf("{%s}", [words])

# The commands that are looked at.
command_words := "*login*,*mongo*,*mysql*,*mariadb*,*7z*,*curl*,*wget*,*redis-cli*,*ldap*,*zip *,*smbclient*,*mc *,*mcli *,*stdin*,*sudo*,*cqlsh*,*sqlcmd*,*bcp *,*lftp*,*sqlplus*,*rclone*"

# A name with one of the words, also with the dashes of a flag.
name := `[\w.-]*(?i:pass|pwd|_pw|secret|token|key|cred|auth|bearer|jwt|[_-]pat|[_-]sas|cookie)[\w.-]*`

# A shell word: quoted and bare pieces that stand together.
word := "((?:\"(?:[^\"\\\\]|\\\\.)*\"|'[^']*'|\\$\\{[^}]*\\}|\\$\\([^)]*\\)|`[^`]*`|\\{\\{[^}]*\\}\\}|\\\\.|[^\\s\"'`&|;<>(){}\\[\\],\\\\])+)"

# What stands before a name, the name, what joins it to its value or else a flag
# and blanks, the value, what follows.
pair := concat("", [
	`(\$\{|[$/]|^[ \t-]*|[{,"'][ \t]*)?`,
	`(?:(`, name, `)(:[-=]|\\*["']?\]?(?:[ \t]*=[ \t]*|[ \t]*:[ \t]*|[ \t]*,[ \t]*))`,
	`|(--?`, name, `)[ \t]+)`,
	`\\*`, word, `([(\[]|[ \t]*\n|["'}\],])?`,
])

pairs(text) := (shell_pairs(text) | command_pairs(text)) | entry_pairs(text)

shell_pairs(text) := {{"name": m.name, "value": value(m)} |
	some line in split(without_comments(text), "\n")
	glob.match(named, null, lower(line))
	some hit in regex.find_all_string_submatch_n(pair, concat("", [line, "\n"]), -1)
	m := {"before": hit[1], "name": concat("", [hit[2], hit[4]]), "join": hit[3], "value": hit[5], "after": hit[6]}
	given(m)
}

# Continued lines as one; comments may only hold what has a form of its own.
without_comments(text) := regex.replace(joined, `(?m)(?:^|[ \t])#(?:[ \t!].*|)$`, "") if {
	glob.match("{*#*,*\n*}", null, text)
	joined := regex.replace(text, `\\\r?\n`, "")
} else := text

# The parts of a match that give a name a value; the others are comparisons,
# calls, prose, paths.
given(m) if {
	not m.before in {"$", "/"}
	not m.after in {"(", "["}
	not regex.match(`^--?[A-Za-z]|^=|^,`, m.value)
	joins(m)
}

joins(m) if m.join == "" # a flag and a blank

joins(m) if {
	m.before == "${"
	m.join in {":-", ":=", "="}
}

joins(m) if {
	m.before != "${"
	regex.match(`^\\*["']?\]?(?:=|[ \t]+=[ \t]+)$`, m.join)
}

joins(m) if regex.match(`^\\*["'][ \t]*[:,]`, m.join)

# name: value is a pair on a line of its own, between braces, and within quotes.
joins(m) if {
	regex.match(`^:[ \t]+$|^:$`, m.join)
	regex.match(`^$|^[ \t-]+$|^[{,"']`, m.before)
	regex.match(`\n$|^["'},\]]`, m.after)
	contained(m)
}

contained(m) if endswith(m.join, " ")

contained(m) if regex.match(`^["']`, m.before)

# A bare word goes on after a quote only if the quoted piece has no blanks: else
# the quote closes one that was opened before the name.
value(m) := trim_right(trim_right(regex.split(`["']`, m.value)[0], "}"), "\\") if {
	regex.match(`^[^"'\s]+["'](?:.*\s|$)`, m.value)
} else := trim_suffix(m.value, "}") if {
	m.before == "${"
} else := trim_suffix(m.value, "}") if {
	startswith(m.before, "{")
	not startswith(m.value, "$")
} else := m.value

# One command, up to a certain argument.
rest := `\b[^\n;|&]*?[ \t]`

# Arguments that only their command makes a password. The first word of the pair's
# name is what a person sees.
commands := [
	{"name": "-p", "words": "{*login*,*sshpass*,*mongo*,*cqlsh*}", "pattern": concat("", [`\b(?:login|sshpass|mongo\w*|cqlsh)`, rest, `-p(?:[ \t]*|=)`, word])},
	{"name": "-P", "words": "{*sqlcmd*,*bcp *}", "pattern": concat("", [`\b(?:sqlcmd|bcp)`, rest, `-P[ \t]*`, word])},
	{"name": "-a", "words": "{*http * -a*,*https * -a*,*http*--auth*}", "pattern": concat("", [`\bhttps?[ \t](?:[^\n;|&]*?[ \t])?(?:-a|--auth)(?:[ \t]*|=)["']?[^\s:"']+:`, word])},
	{"name": "-u", "words": "*lftp*", "pattern": concat("", [`\blftp`, rest, `-u[ \t]*["']?[^\s,"']+,`, word])},
	{"name": "logon", "words": "*sqlplus*", "pattern": concat("", [`\bsqlplus[ \t]+(?:-\w+[ \t]+)*["']?[^\s/"']+/`, word])},
	{"name": "-b", "words": "*htpasswd*", "pattern": concat("", [`\bhtpasswd[ \t]+-\w*b\w*(?:[ \t]+[^\s;|&]+)*?[ \t]+`, word, `[ \t]*(?:[;|&\n]|$)`])},
	{"name": "password", "words": "*chpasswd*", "pattern": concat("", [`\becho[ \t]+["']?[^\s:"']+:`, word, `["']?[ \t]*\|[ \t]*(?:sudo[ \t]+)?chpasswd`])},
	{"name": "-p", "words": "{*mysql*,*mariadb*,*7z*}", "pattern": concat("", [`\b(?:mysql\w*|mariadb\w*|7z\w*)`, rest, `-p`, word])},
	{"name": "-u", "words": "{*curl*,*wget*}", "pattern": concat("", [`\b(?:curl|wget)`, rest, `(?:-u|--user|-U|--proxy-user)(?:[ \t]*|=)["']?[^\s:"']+:`, word])},
	{"name": "--creds", "words": "{*creds*}", "pattern": concat("", [`--(?:src-|dest-)?creds(?:[ \t]+|=)["']?[^\s:"']+:`, word])},
	{"name": "-a", "words": "{*redis-cli*}", "pattern": concat("", [`\bredis-cli`, rest, `-a[ \t]+`, word])},
	{"name": "-w", "words": "{*ldap*}", "pattern": concat("", [`\bldap\w+`, rest, `-w[ \t]*`, word])},
	{"name": "-P", "words": "{*zip *}", "pattern": concat("", [`\b(?:un)?zip`, rest, `-P[ \t]*`, word])},
	{"name": "-U", "words": "{*smbclient*}", "pattern": concat("", [`\bsmbclient`, rest, `-U[ \t]*["']?[^\s%"']+%`, word])},
	{"name": "pass:", "words": "{*pass:*}", "pattern": concat("", [`-(?:pass|passin|passout)[ \t]+pass:`, word])},
	{"name": "WANDB_API_KEY", "words": "{*wandb*login*}", "pattern": concat("", [`\bwandb[ \t]+login`, rest, `["']?([0-9a-f]{40}|local-[0-9a-f]{40})\b`])},
	{"name": "WANDB_API_KEY", "words": "{*wandb.login(*}", "pattern": `wandb\.login\([^)]*\bkey[ \t]*=[ \t]*["']([^"']+)`},
	{"name": "login token", "words": "{*login*,*auth*}", "pattern": `\b(?:vault login|snyk auth|login\()[ \t]*["']?([A-Za-z0-9._-]{16,})`},
	{"name": "secret key", "words": "{*mc *,*mcli *}", "pattern": concat("", [`\bmc(?:li)?[ \t]+(?:alias[ \t]+set|config[ \t]+host[ \t]+add)[ \t]+\S+[ \t]+\S+[ \t]+\S+[ \t]+`, word])},
	{"name": "password on standard input", "words": "{*stdin*,*with-token*,*sudo*,*kinit*,*passwd*}", "pattern": concat("", [`\b(?:echo|printf)[ \t]+(?:-[neE]+[ \t]+|["']?%s(?:\\n)?["']?[ \t]+)*`, word, `[ \t]*\|[^\n|;]*(?:-stdin|--with-token|\bsudo[ \t]+(?:-\w+[ \t]+)*-\w*S\b|\bkinit\b|\bpasswd\b)`])},
	{"name": "password on standard input", "words": "{*<<<*}", "pattern": concat("", [`(?:-stdin|--with-token|login)\b[^\n;|]*<<<[ \t]*`, word])},
	{"name": "password", "words": "{*machine*password*}", "pattern": concat("", [`\bmachine\s+\S+\s+login\s+\S+\s+password\s+`, word])},
]

command_pairs(text) := {{"name": c.name, "command": true, "value": hit[1]} |
	some c in commands
	glob.match(c.words, null, lower(text))
	some hit in regex.find_all_string_submatch_n(c.pattern, without_comments(text), -1)
	not regex.match(`^-|^[0-9:]+$`, hit[1])
}

# The entries of a manifest within a text, and "set NAME value".
entries := [
	{"name": 1, "value": 2, "words": "*env *", "pattern": concat("", [`\bENV[ \t]+(`, name, `)[ \t]+`, word])},
	{"name": 1, "value": 2, "words": "*rclone*", "pattern": concat("", [
		`[ \t]((?:secret_)?access_key(?:_id)?|pass|password|account|key|token)[ \t]+`, word,
	])},
	{"name": 1, "value": 2, "words": "*name*value*", "pattern": concat("", [
		`\bname\\*["']?\s*:\s*\\*["']?(`, name, `)\\*["']?\s*,?\s*\\*["']?value\\*["']?\s*:\s*(?:[|>][+-]?\s+)?\\*`, word,
	])},
	{"name": 2, "value": 1, "words": "*value*name*", "pattern": concat("", [
		`\bvalue\\*["']?\s*:\s*\\*["']?([^\s"',\\}]+)\\*["']?\s*,\s*\\*["']?name\\*["']?\s*:\s*\\*["']?(`, name, `)`,
	])},
	{"name": 1, "value": 2, "words": "{*set *,*modify *,*config *,*setenv *,*configure *}", "pattern": concat("", [
		`\b(?:set|modify|setenv|config|configure)`, rest, `["']?([\w/:.-]*`, name, `)["']?[ \t]+`, word,
	])},
]

entry_pairs(text) := {{"name": hit[e.name], "value": cut(hit[e.value])} |
	some e in entries
	glob.match(e.words, null, lower(text))
	glob.match(named, null, lower(text))
	some hit in regex.find_all_string_submatch_n(e.pattern, without_comments(text), -1)
	not startswith(hit[e.value], "-")
}

cut(text) := regex.replace(text, `\\?["'][,}\]\s].*$|[}\]]+$`, "") if {
	not regex.match(`^\$|\}\}$`, text)
} else := text
