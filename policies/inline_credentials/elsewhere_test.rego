package tao.rules.inline_credentials_elsewhere_test

import data.tao.lib.fixture
import data.tao.rules.inline_credentials as rule

token := "hf_SyntheticTokenForTestsOnlyAbCdEfGhIj"

# Where nobody expects a token, by the path below the pod's spec.
in_the_pod := {
	"a node selector": {"spec": {"nodeSelector": {"pool": token}}, "at": ["nodeSelector", "pool"]},
	"a host's name": {"spec": {"hostAliases": [{"ip": "192.0.2.1", "hostnames": [token]}]}, "at": ["hostAliases", 0, "hostnames", 0]},
	"a subdomain": {"spec": {"subdomain": token}, "at": ["subdomain"]},
	"a restart policy": {"spec": {"restartPolicy": token}, "at": ["restartPolicy"]},
	"a toleration": {"spec": {"tolerations": [{"key": "pool", "value": token}]}, "at": ["tolerations", 0, "value"]},
	"a search domain": {"spec": {"dnsConfig": {"searches": [token]}}, "at": ["dnsConfig", "searches", 0]},
	"the name of a Secret": {"spec": {"imagePullSecrets": [{"name": token}]}, "at": ["imagePullSecrets", 0, "name"]},
	"the name of a volume's claim": {
		"spec": {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": token}}]},
		"at": ["volumes", 0, "persistentVolumeClaim", "claimName"],
	},
	"a part of a path": {
		"spec": {"containers": [{"name": "tao", "volumeMounts": [{"name": "data", "mountPath": "/data", "subPathExpr": token}]}]},
		"at": ["containers", 0, "volumeMounts", 0, "subPathExpr"],
	},
	"an image": {
		"spec": {"containers": [{"name": "tao", "image": "https://train:hunter2@registry.lab/tao:1"}]},
		"at": ["containers", 0, "image"],
	},
	"the key of a Secret": {
		"spec": {"containers": [{"name": "tao", "env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "a", "key": token}}}]}]},
		"at": ["containers", 0, "env", 0, "valueFrom", "secretKeyRef", "key"],
	},
	"a prefix of variables": {
		"spec": {"initContainers": [{"name": "prepare", "envFrom": [{"prefix": token}]}]},
		"at": ["initContainers", 0, "envFrom", 0, "prefix"],
	},
}

test_found[name] if {
	some name, tc in in_the_pod
	got := rule.violation with input as fixture.job({"spec": tc.spec})
	{v.path | some v in got} == {array.concat(["spec", "template", "spec"], tc.at)}
	fixture.hidden(got)
}

test_found_in_a_cron_job[name] if {
	some name, tc in in_the_pod
	got := rule.violation with input as fixture.cron_job({"spec": tc.spec})
	{v.path | some v in got} == {array.concat(["spec", "jobTemplate", "spec", "template", "spec"], tc.at)}
}

test_found_in_metadata if {
	job := object.union(fixture.container({}), {"metadata": {"namespace": token, "finalizers": [token]}})
	got := rule.violation with input as job
	{v.path | some v in got} == {["metadata", "namespace"], ["metadata", "finalizers", 0]}
	fixture.hidden(got)
}

test_found_as_the_name_of_an_entry if {
	got := rule.violation with input as fixture.job({"spec": {"nodeSelector": {token: "x"}}})
	{[v.path, v.message] | some v in got} == {[
		["spec", "template", "spec", "nodeSelector"],
		"the name of an entry holds a literal Hugging Face token",
	]}
}

# A path to what stands below such a name would tell it.
test_no_path_leads_through_a_secret if {
	got := rule.violation with input as fixture.job({"spec": {"nodeSelector": {token: token}}})
	{v.path | some v in got} == {["spec", "template", "spec", "nodeSelector"]}
	fixture.hidden(got)
}

# What is told of another place already is told once.
test_told_once if {
	count(rule.violation) == 1 with input as fixture.env("SETTINGS", token)
}

test_found_in_the_copy if {
	copy := json.marshal(fixture.env("DB_PASSWORD", "hunter2"))
	got := rule.violation with input as fixture.annotation("kubectl.kubernetes.io/last-applied-configuration", copy)
	count(got) == 1
	fixture.hidden(got)
}

test_harmless if {
	count(rule.violation) == 0 with input as fixture.job({"spec": {
		"serviceAccountName": "token-reader", "subdomain": "secret-garden",
		"nodeSelector": {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB", "cloud.google.com/gke-nodepool": "a100-12ab34cd"},
		"tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}],
		"topologySpreadConstraints": [{"topologyKey": "kubernetes.io/hostname"}],
		"imagePullSecrets": [{"name": "ngc-pull-secret"}],
		"volumes": [{"name": "t", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}],
		"containers": [{"name": "tao", "image": "nvcr.io/tao@sha256:a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4"}],
	}})
}
