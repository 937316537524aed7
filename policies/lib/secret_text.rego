# METADATA
# description: >-
#   Names and what they are given, in text of any kind: shell scripts, flags, JSON,
#   YAML, Python, query strings. The text is read as pairs {"name": …, "value": …}.
package tao.lib.secret_text

# Text without any of these words has no such pair. Lower case.
named := "{*pass*,*pwd*,*_pw*,*secret*,*token*,*key*,*cred*,*auth*,*bearer*,*jwt*,*_pat*,*-pat*,*_sas*,*-sas*,*cookie*}"

# One of these, or one of the commands' below. Each list is a literal: to join it
# would take longer than to search for it.
any_word := "{*pass*,*pwd*,*_pw*,*secret*,*token*,*key*,*cred*,*auth*,*bearer*,*jwt*,*_pat*,*-pat*,*_sas*,*-sas*,*cookie*,*login*,*http-basic*,*mongo*,*mysql*,*mariadb*,*7z*,*curl*,*wget*,*redis-cli*,*valkey-cli*,*etcdctl*,*mosquitto_*,*ncftp*,*ngc config*,*ldap*,*zip *,*smbclient*,*mc *,*mcli *,*<(echo*,*<(printf*,*sftp*,*openssl*,*stdin*,*sudo*,*cqlsh*,*sqlcmd*,*bcp *,*lftp*,*sqlplus*,*kinit*,*rabbitmqctl*,*ssh-keygen*,*useradd*,*twine*,*ngrok*,*rclone*,*http *-a *,*https *-a *}"

# A name with one of the words, also with the dashes of a flag.
name := `[\w.-]*(?i:pass|pwd|_pw|secret|token|key|cred|auth|bearer|jwt|[_-]pat|[_-]sas|cookie)[\w.-]*`

# A shell word: quoted and bare pieces that stand together.
word := concat("", [
	`((?:"(?:[^"\\]|\\.)*"|'[^']*'|\$\{[^}]*\}|\$\([^)]*\)|`, "`[^`]*`",
	`|\{\{[^}]*\}\}|\\.|[^\s"'`, "`", `&|;<>(){}\[\],\\])+)`,
])

# What stands before a name, the name, what joins it to its value or else a flag
# and blanks, the value, what follows.
pair := concat("", [
	`(\$\{|[$/]|^[ \t-]*|[{,"'][ \t]*)?`,
	`(?:(`, name, `)(:[-=]|\\*["']?\]?(?:\+=|[ \t]*=[ \t]*|[ \t]*:[ \t]*|[ \t]*,[ \t]*))`,
	`|\B(--?`, name, `)[ \t]+)`,
	`\\*`, word, `([(\[]|[ \t]*\n|["'}\],])?`,
])

pairs(text) := (assignments(text) | command_pairs(text)) | entry_pairs(text)

assignments(text) := {{"name": m.name, "value": value(m)} |
	some line in split(code(text), "\n")
	glob.match(named, null, lower(line))
	some hit in regex.find_all_string_submatch_n(pair, concat("", [line, "\n"]), -1)
	m := {"before": hit[1], "name": concat("", [hit[2], hit[4]]), "join": hit[3], "value": hit[5], "after": hit[6]}
	given(m)
}

# Text with continued lines as one, and without comments: these may only hold
# what has a form of its own.
code(text) := regex.replace(joined(text), `(?m)(?:^|[ \t])#(?:[ \t!].*|)$`, "") if {
	contains(text, "#")
} else := joined(text)

# gsutil's settings have their section before them.
joined(text) := strings.replace_n({"\\\r\n": "", "\\\n": "", "Credentials:gs_": "gs_", "Credentials:aws_": "aws_"}, text)

# The parts of a match that give a name a value; the others are references,
# comparisons, calls, prose, paths.
given(m) if {
	not m.before in {"$", "/"}
	not m.after in {"(", "["}
	not regex.match(`^"?\$[({]?[A-Z_][A-Z0-9_]*[)}]?"?$|^--?[A-Za-z]|^=|^,`, m.value)
	joins(m)
}

joins(m) if m.join == "" # a flag and a blank

joins(m) if {
	m.before == "${"
	m.join in {":-", ":=", "="}
}

joins(m) if {
	m.before != "${"
	regex.match(`^\\*["']?\]?(?:\+?=|[ \t]+=[ \t]+)$|^\\*["'][ \t]*[:,]`, m.join)
}

# name: value is a pair on a line of its own, between braces, and within quotes.
joins(m) if {
	regex.match(`^:[ \t]*$`, m.join)
	regex.match(`^$|^[ \t-]+$|^[{,"']`, m.before)
	regex.match(`\n$|^["'},\]]`, m.after)
	contained(m)
}

contained(m) if endswith(m.join, " ")

contained(m) if regex.match(`^["']`, m.before)

# A bare word goes on after a quote only if the quoted piece has no blanks: else
# the quote closes one that was opened before the name.
value(m) := trim_right(regex.split(`["']`, m.value)[0], "\\") if {
	regex.match(`^[^"'\s]+["'](?:.*\s|$)`, m.value)
} else := m.value

# Commands whose arguments are secrets without a name that says so. "name" is
# what a person sees; each pattern has the secret as its one group.
any_command := "{*creds*,*http-basic*,*pass*,*auth*,*with-token*,*<<<*,*login*,*mongo*,*mysql*,*mariadb*,*7z*,*curl*,*wget*,*redis-cli*,*valkey-cli*,*etcdctl*,*mosquitto_*,*ncftp*,*ngc config*,*ldap*,*zip *,*smbclient*,*mc *,*mcli *,*<(echo*,*<(printf*,*sftp*,*openssl*,*stdin*,*sudo*,*cqlsh*,*sqlcmd*,*bcp *,*lftp*,*sqlplus*,*kinit*,*rabbitmqctl*,*ssh-keygen*,*useradd*,*twine*,*ngrok*,*http-basic*,*rclone*,*http *-a *,*https *-a *}"

# Up to an argument of the same command.
rest := `\b[^\n;|&]*?[ \t]`

# Few patterns with many commands each, because OPA keeps a hundred compiled.
commands := [
	{"name": "-p", "words": "{*login*,*sshpass*,*mongo*,*cqlsh*,*useradd*,*usermod*,*twine*,*ncftp*}", "pattern": [
		`\b(?:login|sshpass|mongo\w*|cqlsh|useradd|usermod|twine|ncftp\w*)`, rest, `-p(?:[ \t]*|=)`, word,
	]},
	{"name": "-p", "words": "{*mysql*,*mariadb*,*7z*}", "pattern": [`\b(?:mysql\w*|mariadb\w*|7z\w*)`, rest, `-p`, word]},
	{"name": "-P", "words": "{*zip *,*sqlcmd*,*bcp *,*mosquitto_*}", "pattern": [`\b(?:(?:un)?zip|sqlcmd|bcp|mosquitto_\w+)`, rest, `-P[ \t]*`, word]},
	{"name": "-u", "words": "{*curl*,*wget*,*etcdctl*,*creds*,*http *-a *,*https *-a *,*http*--auth*}", "pattern": [
		`(?:\b(?:curl|wget|etcdctl)`, rest, `(?:-[#fgikLNOqsSv]*u|--user|-U|--proxy-user)(?:[ \t]*|=)|--(?:src-|dest-)?creds(?:[ \t]+|=)`,
		`|\bhttps?[ \t](?:[^\n;|&]*?[ \t])?(?:-a|--auth)(?:[ \t]*|=))["']?[^\s:"']+:`, word,
	]},
	{"name": "-U", "words": "{*smbclient*,*lftp*,*sqlplus*}", "pattern": [
		`(?:\bsmbclient`, rest, `-U[ \t]*["']?[^\s%"']+%|\blftp`, rest, `-u[ \t]*["']?[^\s,"']+,`,
		`|\bsqlplus[ \t]+(?:-\w+[ \t]+)*["']?[^\s/"']+/)`, word,
	]},
	{"name": "-a", "words": "{*redis-cli*,*valkey-cli*}", "pattern": [`\b(?:redis|valkey)-cli`, rest, `-a[ \t]+`, word]},
	{"name": "password", "words": "{*ldap*,*ssh-keygen*,*pass:*}", "pattern": [
		`(?:\bldap\w+`, rest, `-w[ \t]*|\bssh-keygen`, rest, `-N[ \t]*|-(?:pass|passin|passout)[ \t]+pass:)`, word,
	]},
	{"name": "password", "words": "{*rabbitmqctl*,*rclone*obscure*,*pgpass*,*http-basic*,*machine*password*,*mc *,*mcli *,*mysqladmin*}", "pattern": [
		`(?:\brabbitmqctl[ \t]+(?:add_user|change_password)[ \t]+\S+[ \t]+|\brclone[ \t]+obscure[ \t]+`,
		`|[^\s:"']+:(?:[0-9]+|\*):[^\s:]+:[^\s:]+:|\bhttp-basic\.\S+[ \t]+\S+[ \t]+`,
		`|\bmachine\s+\S+\s+login\s+\S+\s+password\s+`,
		`|\bmc(?:li)?[ \t]+(?:(?:alias[ \t]+set|config[ \t]+host[ \t]+add)[ \t]+\S+|admin[ \t]+user[ \t]+add)[ \t]+\S+[ \t]+\S+[ \t]+`,
		`|\bmysqladmin`, rest, `password[ \t]+)`, word,
	]},
	{"name": "-b", "words": "*htpasswd*", "pattern": [`\bhtpasswd[ \t]+-\w*b\w*(?:[ \t]+[^\s;|&]+)*?[ \t]+`, word, `[ \t]*(?:[;|&\n]|$)`]},
	{"name": "WANDB_API_KEY", "words": "*wandb*login*", "pattern": [
		`\bwandb(?:[ \t]+login`, rest, `["']?|\.login\([^)]*\bkey[ \t]*=[ \t]*["'])((?:local-)?[0-9a-f]{40}|[A-Za-z0-9]{32,})\b`,
	]},
	{"name": "login token", "words": "{*login*,*snyk*auth*,*ngrok*}", "pattern": [
		`\b(?:vault login|snyk auth|cargo login|ngrok (?:config add-)?authtoken|login\()[ \t]*["']?([A-Za-z0-9._-]{16,})`,
	]},
	{"name": "password on standard input", "words": "{*stdin*,*with-token*,*sudo*,*kinit*,*passwd*,*ngc config*,*wandb login*,*sshpass*}", "pattern": [
		`\b(?:echo|printf)[ \t]+(?:-[neE]+[ \t]+|["']?%s(?:\\n)?["']?[ \t]+)*(?:["']?\w+:)??`, word,
		`["']?(?:[ \t]+[\w-]+)*[ \t]*\|[^\n|;]*(?:-stdin|--with-token|\bsudo[ \t]+(?:-\w+[ \t]+)*-\w*S\b|\bkinit\b|\b(?:ch)?passwd\b`,
		`|\bngc[ \t]+config[ \t]+set|\bwandb[ \t]+login|\bsshpass\b)`,
	]},
	{"name": "password on standard input", "words": "*<<<*", "pattern": [`(?:-stdin|--with-token|login|kinit|\bsudo|\bngc[ \t]+config[ \t]+set)\b[^\n;|]*<<<[ \t]*`, word]},
	{"name": "password", "words": "{*<(echo*,*<(printf*}", "pattern": [
		`(?i:pass|secret|token|key|cred|netrc|auth)[\w-]*(?:=|[ \t]+)<\([ \t]*(?:echo|printf)[ \t]+(?:-[neE]+[ \t]+)?`, word,
	]},
	{"name": "password", "words": "{*sftp*,*openssl*}", "pattern": [
		`(?:\bsftp[ \t]+(?:-\w+[ \t]+)*[\w.-]+:([^\s@/:]+)@[\w.]|\bopenssl[ \t]+\w+`, rest, `-k[ \t]+`, word, `)`,
	]},
	{"name": "auth", "words": "*auth*=*(*", "pattern": [`\bauth[ \t]*=[ \t]*\([ \t]*["'][^"']*["'][ \t]*,[ \t]*["']([^"']+)["']`]},
]

default command_pairs(_) := set()

command_pairs(text) := {{"name": c.name, "command": true, "value": value} |
	some c in commands
	glob.match(c.words, null, low)
	some hit in regex.find_all_string_submatch_n(concat("", c.pattern), code(text), -1)
	value := concat("", array.slice(hit, 1, count(hit))) # one of the groups has it
	not regex.match(`^-|^[0-9:]+$`, value)
} if {
	low := lower(text)
	glob.match(any_command, null, low)
}

# Where "NAME value" stands apart: entries of a manifest within a text, settings.
entries := [
	{"name": 1, "value": 2, "words": "*name*value*", "pattern": [
		`\bname\\*["']?\s*:\s*\\*["']?(`, name, `)\\*["']?\s*,?\s*\\*["']?value\\*["']?\s*:\s*(?:[|>][+-]?\s+)?\\*`, word,
	]},
	{"name": 2, "value": 1, "words": "*value*name*", "pattern": [
		`\bvalue\\*["']?\s*:\s*\\*["']?([^\s"',\\}]+)\\*["']?\s*,\s*\\*["']?name\\*["']?\s*:\s*\\*["']?(`, name, `)`,
	]},
	{"name": 1, "value": 2, "words": "{*config*,* modify *,*setenv *,*git*set *,*set -x *,*set -gx *}", "pattern": [
		`\b(?:set|modify|setenv|config|configure)`, rest, `["']?([\w/:.-]*`, name, `)["']?[ \t]+`, word,
	]},
	{"name": 1, "value": 2, "words": "*${*-*}*", "pattern": [`\$\{(\w+)-([^{}$]+)\}`]},
	{"name": 1, "value": 2, "words": "*from-literal*", "pattern": [`--from-literal(?:=|[ \t]+)["']?([\w.-]+)=`, word]},
	{"name": 1, "value": 2, "words": "*env *", "pattern": [`\bENV[ \t]+(`, name, `)[ \t]+`, word]},
	{"name": 1, "value": 2, "words": "*rclone*", "pattern": [
		`[ \t]((?:secret_)?access_key(?:_id)?|pass|password|account|key|token)[ \t]+`, word,
	]},
]

default entry_pairs(_) := set()

entry_pairs(text) := {{"name": hit[e.name], "value": cut(hit[e.value])} |
	some e in entries
	glob.match(e.words, null, low)
	some hit in regex.find_all_string_submatch_n(concat("", e.pattern), code(text), -1)
	not startswith(hit[e.value], "-")
} if {
	low := lower(text)
	glob.match(named, null, low)
	glob.match("{*from-literal*,*value*,*config*,* modify *,*env *,*rclone*,*git*set *,*set -x *,*set -gx *,*${*-*}*}", null, low)
}

cut(text) := regex.replace(text, `\\?["'][,}\]\s].*$|[}\]]+$`, "") if {
	not regex.match(`^\$|\}\}$`, text)
} else := text
