package tao.rules.inline_credentials_test

import data.tao.lib.fixture
import data.tao.rules.inline_credentials as rule

token := "hf_SyntheticTokenForTestsOnlyAbCdEfGhIj"

url := sprintf("https://trainer:%s@host.lab/x", [token])

header := {"httpGet": {"path": "/", "port": 80, "httpHeaders": [{"name": "X-Api-Key", "value": "q7Wz2Kp9Lx4Vb8Nm3Jt6"}]}}

# What stands in a container, where it is found in it, and what is said.
in_a_container := {
	"a variable's value": {
		"at": ["env", 1, "value"], "says": "env HF_TOKEN holds a literal Hugging Face token",
		"fields": {"env": [{"name": "HF_HOME", "value": "/cache"}, {"name": "HF_TOKEN", "value": token}]},
	},
	"a variable's name": {
		"at": ["env", 0, "name"], "says": "the name of an entry holds a literal Hugging Face token",
		"fields": {"env": [{"name": token, "value": "x"}]},
	},
	"a script": {
		"at": ["command", 2], "says": "command (DB_PASSWORD) holds a literal password",
		"fields": {"command": ["sh", "-c", "export DB_PASSWORD=hunter2; train"]},
	},
	"a flag's value in the next element": {
		"at": ["args", 1], "says": "args (--password) holds a literal password",
		"fields": {"command": ["train"], "args": ["--password", "hunter2"]},
	},
	"a login that begins in the command": {
		"at": ["args", 2], "says": "args (-p) holds a literal password",
		"fields": {"command": ["docker", "login"], "args": ["-u", "-p", "hunter2"]},
	},
	"an exec probe": {
		"at": ["livenessProbe", "exec", "command", 2], "says": "livenessProbe.exec.command (PGPASSWORD)",
		"fields": {"livenessProbe": {"exec": {"command": ["sh", "-c", "PGPASSWORD=hunter2 psql"]}}},
	},
	"an exec probe's flag": {
		"at": ["readinessProbe", "exec", "command", 2], "says": "readinessProbe.exec.command (-a)",
		"fields": {"readinessProbe": {"exec": {"command": ["redis-cli", "-a", "hunter2", "ping"]}}},
	},
	"a header": {
		"at": ["startupProbe", "httpGet", "httpHeaders", 0, "value"], "says": "startupProbe.httpGet.httpHeaders",
		"fields": {"startupProbe": header},
	},
	"a query": {
		"at": ["livenessProbe", "httpGet", "path"], "says": "livenessProbe.httpGet.path (token)",
		"fields": {"livenessProbe": {"httpGet": {"path": "/live?token=q7Wz2Kp9Lx4Vb8Nm3Jt6", "port": 80}}},
	},
	"a hook after the start": {
		"at": ["lifecycle", "postStart", "exec", "command", 2], "says": "lifecycle.postStart.exec.command (WANDB_API_KEY)",
		"fields": {"lifecycle": {"postStart": {"exec": {"command": [
			"sh", "-c",
			"wandb login 3f9a1c7e5b2d8046f1e3a5c7092b4d6e8f0a1c3e",
		]}}}},
	},
	"a hook before the end": {
		"at": ["lifecycle", "preStop", "httpGet", "httpHeaders", 0, "value"], "says": "lifecycle.preStop.httpGet.httpHeaders",
		"fields": {"lifecycle": {"preStop": header}},
	},
	"any other string": {
		"at": ["workingDir"], "says": "workingDir holds a literal Hugging Face token",
		"fields": {"workingDir": sprintf("/src/%s", [token])},
	},
}

test_places_in_a_container[name] if {
	some name, tc in in_a_container
	container := object.union({"name": "tao", "image": "tao:1"}, tc.fields)
	some field, called in {
		"containers": "container", "initContainers": "init container",
		"ephemeralContainers": "ephemeral container",
	}
	template := {"spec": {field: [{"name": "first"}, container]}}
	some made, at in {
		"job": array.concat(["spec", "template", "spec", field, 1], tc.at),
		"cron_job": array.concat(["spec", "jobTemplate", "spec", "template", "spec", field, 1], tc.at),
	}
	document := {"job": fixture.job(template), "cron_job": fixture.cron_job(template)}[made]
	found := rule.violation with input.object as document
	fixture.hidden(found)
	{v.path | some v in found} == {at}
	every v in found {
		startswith(v.message, sprintf("%s \"tao\": %s", [called, tc.says]))
	}
}

in_a_pod := {
	"a CSI volume's attribute": {
		"at": ["volumes", 0, "csi", "volumeAttributes", "password"],
		"says": "volume \"data\": csi.volumeAttributes.password holds a literal password",
		"volume": {"csi": {"driver": "smb.csi.k8s.io", "volumeAttributes": {"source": "//s/d", "password": "hunter2"}}},
	},
	"options in a CSI volume's attribute": {
		"at": ["volumes", 0, "csi", "volumeAttributes", "mountOptions"],
		"says": "volume \"data\": csi.volumeAttributes.mountOptions (password) holds a literal password",
		"volume": {"csi": {"driver": "smb.csi.k8s.io", "volumeAttributes": {"mountOptions": "username=a,password=hunter2"}}},
	},
	"a flex volume's option": {
		"at": ["volumes", 0, "flexVolume", "options", "secretKey"],
		"says": "volume \"data\": flexVolume.options.secretKey holds a literal key",
		"volume": {"flexVolume": {"driver": "s3", "options": {"bucket": "b", "secretKey": "q7Wz2Kp9Lx4Vb8Nm3Jt6"}}},
	},
	"any other string of a volume": {
		"at": ["volumes", 0, "nfs", "server"],
		"says": "volume \"data\": nfs.server holds a literal Hugging Face token",
		"volume": {"nfs": {"server": url, "path": "/"}},
	},
}

test_places_in_a_pod[name] if {
	some name, tc in in_a_pod
	template := {"spec": {"containers": [{"name": "tao"}], "volumes": [object.union({"name": "data"}, tc.volume)]}}
	found := rule.violation with input as fixture.job(template)
	fixture.hidden(found)
	{v.path | some v in found} == {array.concat(["spec", "template", "spec"], tc.at)}
	every v in found {
		v.message == tc.says
		contains(v.fix, "nodePublishSecretRef")
	}
}

# Annotations and labels stand at the CronJob, the Job and the pods.
test_places_in_metadata[name] if {
	some name, at in {
		"of the CronJob": ["metadata"],
		"of its Jobs": ["spec", "jobTemplate", "metadata"],
		"of their pods": ["spec", "jobTemplate", "spec", "template", "metadata"],
	}
	some field, value in {"annotations": token, "labels": token}
	path := array.concat(at, [field, "lab/token"])
	document := json.patch(fixture.cron_job({"metadata": {}, "spec": {"containers": [{"name": "tao"}]}}), [{
		"op": "add", "path": array.concat(at, [field]),
		"value": {"lab/token": value},
	}])
	found := rule.violation with input.object as document
	fixture.hidden(found)
	{v.path | some v in found} == {path}
}

test_a_secret_in_a_key_is_found_at_its_map if {
	found := rule.violation with input as {"kind": "Job", "metadata": {"annotations": {token: "x"}}, "spec": {"template": {}}}
	fixture.hidden(found)
	{v.path | some v in found} == {["metadata", "annotations"]}
}

applied := "kubectl.kubernetes.io/last-applied-configuration"

copied(document) := object.union(document, {"metadata": {"annotations": {applied: json.marshal(document)}}})

test_the_copy_is_not_found_beside_its_original if {
	found := rule.violation with input as copied(fixture.env("HF_TOKEN", token))
	{v.path | some v in found} == {fixture.env_path}
}

test_the_copy_of_what_was_mended_is_found if {
	mended := object.union(fixture.env("HF_TOKEN", "$(TOKEN)"), {"metadata": copied(fixture.env("HF_TOKEN", token)).metadata})
	found := rule.violation with input as mended
	fixture.hidden(found)
	{v.path | some v in found} == {["metadata", "annotations", applied]}
}

test_a_cron_job_whose_template_has_no_metadata_is_looked_at if {
	template := {"metadata": {"annotations": {"lab/token": token}}, "spec": {"containers": []}}
	document := json.remove(fixture.cron_job(template), ["spec/jobTemplate/metadata"])
	found := rule.violation with input as document
	{v.path | some v in found} == {["spec", "jobTemplate", "spec", "template", "metadata", "annotations", "lab/token"]}
}

test_references_pass[name] if {
	some name, template in {
		"to Secrets": {"spec": {
			"imagePullSecrets": [{"name": "ngc-registry-secret"}],
			"volumes": [
				{"name": "s", "secret": {"secretName": "tao-creds", "items": [{"key": "token", "path": "token"}]}},
				{"name": "c", "csi": {"driver": "d", "nodePublishSecretRef": {"name": "s3-secret-key1"}}},
				{"name": "p", "projected": {"sources": [{"serviceAccountToken": {"path": "token", "audience": "vault"}}]}},
			],
			"containers": [{
				"name": "tao", "envFrom": [{"secretRef": {"name": "tao-creds"}}],
				"env": [{"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hf-token-9", "key": "hf-token-A1b2C3d4E5f6"}}}],
				"volumeMounts": [{"name": "s", "mountPath": "/run/secrets/token"}],
			}],
		}},
		"nothing": {},
		"no containers": {"spec": {}},
	}
	count(rule.violation) == 0 with input as fixture.job(template)
}

test_values_that_are_no_strings_pass if {
	count(rule.violation) == 0 with input as fixture.container({"env": [
		{"name": "API_TOKEN", "value": null}, {"name": "API_TOKEN", "value": 5},
		{"name": "API_TOKEN"},
	]})
}

test_names_that_may_be_secrets_are_withheld if {
	found := rule.violation with input as fixture.env("token_q7Wz2Kp9Lx4Vb8Nm3Jt6", "q7Wz2Kp9Lx4Vb8Nm3Jt6")
	count(found) > 0
	fixture.hidden(found)
}
