package tao.rules.results_persistence_test

import data.tao.lib.fixture
import data.tao.rules.results_persistence as rule

claim := {"name": "disk", "persistentVolumeClaim": {"claimName": "results"}}

scratch := {"name": "scratch", "emptyDir": {}}

pod_spec(fields) := {
	"volumes": [claim, scratch],
	"containers": [object.union(
		{"name": "tao", "volumeMounts": [
			{"name": "disk", "mountPath": "/workspace"},
			{"name": "scratch", "mountPath": "/workspace/tmp/"},
		]},
		fields,
	)],
}

annotated(dir) := object.union(fixture.job({"spec": pod_spec({})}), {"metadata": {"annotations": {"tao.nvidia.com/results-dir": dir}}})

training := {"containers": ["tao"]}

test_warn[name] if {
	some name, tc in {
		"a directory that is not mounted": {"object": annotated("/results"), "at": ["metadata", "annotations", "tao.nvidia.com/results-dir"], "says": "no volume is mounted"},
		"a directory with a longer name": {"object": annotated("/workspace2"), "at": ["metadata", "annotations", "tao.nvidia.com/results-dir"], "says": "no volume is mounted"},
		"one below a mount that dies": {"object": annotated("/workspace/tmp/run"), "at": ["metadata", "annotations", "tao.nvidia.com/results-dir"], "says": `the volume "scratch", which is an emptyDir`},
		"one on a claim that is made with the pod": {
			"object": fixture.job({"spec": {
				"volumes": [{"name": "own", "ephemeral": {"volumeClaimTemplate": {}}}],
				"containers": [{"name": "tao", "args": ["results_dir=/own/x"], "volumeMounts": [{"name": "own", "mountPath": "/own"}]}],
			}}),
			"at": ["spec", "template", "spec", "containers", 0, "args", 0], "says": `the volume "own", which is ephemeral`,
		},
		"a setting": {
			"object": fixture.job({"spec": pod_spec({"args": ["train", "results_dir=/results"]})}),
			"at": ["spec", "template", "spec", "containers", 0, "args", 1], "says": "no volume is mounted",
		},
		"a flag": {
			"object": fixture.job({"spec": pod_spec({"args": ["train", "-r", "/results"]})}),
			"at": ["spec", "template", "spec", "containers", 0, "args", 2], "says": "no volume is mounted",
		},
		"a script": {
			"object": fixture.job({"spec": pod_spec({"command": ["sh", "-c", "dino train train.results_dir=/tmp/x"]})}),
			"at": ["spec", "template", "spec", "containers", 0, "command", 2], "says": "no volume is mounted",
		},
		"a CronJob": {
			"object": fixture.cron_job({"spec": pod_spec({"args": ["results_dir=/results"]})}),
			"at": ["spec", "jobTemplate", "spec", "template", "spec", "containers", 0, "args", 0], "says": "no volume is mounted",
		},
	}
	some v in rule.violation with input as {"object": tc.object, "training": training}
	v.path == tc.at
	contains(v.message, tc.says)
}

test_stays[name] if {
	some name, job in {
		"on a claim": annotated("/workspace/results"),
		"on the mount itself": annotated("/workspace/"),
		"in a bucket": annotated("s3://bucket/results"),
		"where nothing is said": fixture.job({"spec": pod_spec({"args": ["train", "-e", "/specs/train.yaml"]})}),
		"on the command line, on a claim": fixture.job({"spec": pod_spec({"args": ["results_dir=/workspace/run", "-r", "/workspace/x"]})}),
		"by a variable": fixture.job({"spec": pod_spec({"args": ["results_dir=$(TAO_RESULTS_ROOT)", "-r", "$(R)"]})}),
		"where another container writes": fixture.job({"spec": {"initContainers": [{"name": "prepare", "args": ["-r", "/x"]}]}}),
	}
	count(rule.violation) == 0 with input as {"object": job, "training": training}
}
