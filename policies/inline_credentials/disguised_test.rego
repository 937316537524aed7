# Secrets that are encoded, printed, or in a place of a command that names them
# late.
package tao.rules.inline_credentials_disguised_test

import data.tao.lib.fixture
import data.tao.rules.inline_credentials as rule

found_variables := [
	["BLOB", base64.encode("hf_SyntheticTokenForTestsOnlyAbCdEfGhIj")],
	["BLOB", base64.encode("token: ghp_SyntheticTokenForTests0123456789abcd")],
	["BLOB", base64.encode("password=hunter2-or-so")],
	["BLOB", base64.encode(`{"user": "trainer", "password": "hunter2"}`)],
	["MIRROR", "https%3A%2F%2Ftrainer%3Ahunter2%40host.lab%2F"],
	["VAULT_SECRET_ID", "3f9a1c7e-5b2d-4804-86f1-e3a5c7092b4d"],
	["DB_PASSWORD", "$(echo hunter2)"],
]

found_scripts := [
	"git clone https://q7Wz2Kp9Lx4Vb8Nm3Jt6@git.lab/team/repo",
	"kubectl create secret generic db --from-literal=pw=hunter2",
	"kubectl create secret generic db --from-literal user=trainer --from-literal password=hunter2",
	"gsutil -o Credentials:gs_secret_access_key=q7Wz2Kp9Lx4Vb8Nm3Jt6 cp a gs://b",
	"curl -H \"X-Api-Key: $(echo q7Wz2Kp9Lx4Vb8Nm3Jt6)\" https://host.lab",
	"restic --password-file <(echo hunter2) backup /results",
	"sftp trainer:hunter2@host.lab",
	"openssl enc -aes-256-cbc -d -k hunter2 -in a",
]

harmless_variables := [
	["PASS", "3"],
	["NUM_PASS", "10"],
	["ENCRYPTION_KEY", "nvidia_tao"],
	["KEY", "nvidia_tlt"],
	["BLOB", base64.encode("epochs: 300\nlearning_rate: 0.01\n")],
	["BLOB", base64.encode("tokenizer: bert-base-uncased\nimage_token: image_placeholder\nmax_tokens: 409600\n")],
	["BLOB", base64.encode("password=${DB_PASSWORD} token=<token>")],
	["RUN_ID", "3f9a1c7e-5b2d-4804-86f1-e3a5c7092b4d"],
	["VAULT_SECRET_ID", "approle-of-training"],
	["DB_PASSWORD", "$(cat /run/secrets/db)"],
	["ARTICLE", "https://medium.com/@someone/a-long-article-name-1234"],
]

harmless_scripts := [
	"git clone https://git@git.lab/team/a-repository-with-a-long-name",
	"git clone https://build-user-of-the-team-01@git.lab/team/repo",
	"kubectl create secret generic db --from-file=password=/run/secrets/db",
	"kubectl create secret generic db --from-literal=pw=$PW",
	"kubectl create configmap mode --from-literal=mode=fast",
	"gsutil -o GSUtil:parallel_process_count=1 cp a gs://b",
	"restic --password-file <(cat /run/secrets/restic) backup /results",
	"sftp -b batch trainer@host.lab",
	"openssl enc -aes-256-cbc -d -kfile /run/secrets/key -in a",
	"export RESULTS=$(echo /results/run)",
]

test_found_in_variables if {
	got := rule.violation with input as fixture.variables(found_variables)
	fixture.hits(got) == places(found_variables)
	fixture.hidden(got)
}

test_found_in_scripts if {
	got := rule.violation with input as fixture.scripts(found_scripts)
	fixture.hits(got) == places(found_scripts)
	fixture.hidden(got)
}

test_harmless_variables if {
	fixture.hits(rule.violation) == set() with input as fixture.variables(harmless_variables)
}

test_harmless_scripts if {
	fixture.hits(rule.violation) == set() with input as fixture.scripts(harmless_scripts)
}

places(list) := {p[0] | walk(list, [p, _]); count(p) == 1}
