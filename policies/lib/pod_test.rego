package tao.lib.pod_test

import data.tao.lib.fixture
import data.tao.lib.pod

template := {"spec": {
	"containers": [{"name": "tao"}, {"name": "logs"}],
	"initContainers": [{"name": "fetch"}],
	"ephemeralContainers": [{"name": "debug"}],
}}

test_containers[name] if {
	some name, tc in {
		"those of a Job": {"input": {"object": fixture.job(template)}, "at": ["spec", "template", "spec"]},
		"those of a plain manifest": {"input": fixture.job(template), "at": ["spec", "template", "spec"]},
		"those of a CronJob": {
			"input": {"object": fixture.cron_job(template)},
			"at": ["spec", "jobTemplate", "spec", "template", "spec"],
		},
	}
	found := {[c.spec.name, c.kind, c.path] | some c in pod.containers} with input as tc.input
	found == {
		["tao", "container", array.concat(tc.at, ["containers", 0])],
		["logs", "container", array.concat(tc.at, ["containers", 1])],
		["fetch", "init", array.concat(tc.at, ["initContainers", 0])],
		["debug", "ephemeral", array.concat(tc.at, ["ephemeralContainers", 0])],
	}
}

test_a_job_without_a_template_has_no_containers if {
	pod.containers == [] with input as {"kind": "Job", "spec": {}}
}
