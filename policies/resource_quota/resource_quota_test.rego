package tao.rules.resource_quota_test

import data.tao.lib.fixture
import data.tao.rules.resource_quota as rule

template := {"spec": {"initContainers": [{"name": "fetch"}], "containers": [{"name": "tao"}]}}

gpus := {
	"quota": "gpus", "resource": "requests.nvidia.com/gpu",
	"hard": "12", "used": "4", "asked": "16", "pods": 1,
}

judged(job, quota) := {
	"object": job,
	"training": {"suspended": false},
	"facts": {"quota": object.union({"want": 2, "exceeded": [], "lacking": []}, quota)},
}

test_warn[name] if {
	some name, tc in {
		"too little for all pods": {
			"quota": {"exceeded": [gpus]},
			"at": ["spec", "template", "spec"],
			"says": `"gpus" leaves room for 1 of the 2 pods: 16 asked for of requests.nvidia.com/gpu, and 4 of 12 used`,
		},
		"too little for one": {
			"quota": {"want": 1, "exceeded": [object.union(gpus, {"pods": 0})]},
			"at": ["spec", "template", "spec"],
			"says": "room for 0 of the 1 pod:",
		},
		"no room for the Job": {
			"quota": {"exceeded": [{
				"quota": "jobs", "resource": "count/jobs.batch",
				"hard": "3", "used": "3", "asked": "1", "pods": 0,
			}]},
			"at": ["spec"],
			"says": `ResourceQuota "jobs" leaves no room for the Job: 3 of 3 count/jobs.batch used`,
		},
		"no room for its Service": {
			"quota": {"exceeded": [{
				"quota": "all", "resource": "services",
				"hard": "3", "used": "3", "asked": "1", "pods": 0,
			}]},
			"at": ["spec"],
			"says": "no room for the headless Service of the Job: 3 of 3 services used",
		},
		"a container that says nothing": {
			"quota": {"lacking": [{"quota": "compute", "container": "tao", "resources": ["requests.cpu", "limits.memory"]}]},
			"at": ["spec", "template", "spec", "containers", 0, "resources"],
			"says": `container "tao" has no request of cpu, limit of memory, which ResourceQuota "compute" counts`,
		},
		"an init container that says nothing": {
			"quota": {"lacking": [{"quota": "compute", "container": "fetch", "resources": ["memory"]}]},
			"at": ["spec", "template", "spec", "initContainers", 0, "resources"],
			"says": `container "fetch" has no request of memory,`,
		},
		"one that was injected": {
			"quota": {"lacking": [{"quota": "compute", "container": "upload", "resources": ["memory"]}]},
			"at": ["spec", "template", "spec"],
			"says": `container "upload"`,
		},
	}
	every v in rule.violation {
		v.path == tc.at
		contains(v.message, tc.says)
		not v.action
	} with input as judged(fixture.job(template), tc.quota)
	count(rule.violation) == 1 with input as judged(fixture.job(template), tc.quota)
}

test_in_a_cron_job if {
	{v.path | some v in rule.violation} == {["spec", "jobTemplate", "spec", "template", "spec"]} with input as judged(
		fixture.cron_job(template),
		{"exceeded": [gpus]},
	)
}

test_a_suspended_job_may_find_more if {
	some v in rule.violation with input as object.union(
		judged(fixture.job(template), {"exceeded": [gpus]}),
		{"training": {"suspended": true}},
	)
	endswith(v.message, "until the suspended Job starts")
}

test_what_fits_passes if {
	count(rule.violation) == 0 with input as judged(fixture.job(template), {})
	count(rule.skipped) == 0 with input as judged(fixture.job(template), {})
}

test_skipped_says_what_to_give if {
	some reason in rule.skipped with input as {"object": fixture.job(template), "facts": {}}
	contains(reason, "--inventory with ResourceQuotas")
}
