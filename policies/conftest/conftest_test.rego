package main_test

import data.main
import data.tao.lib.fixture

test_deny if {
	some failure in main.deny with input as leaky
	failure.rule == "inline-credentials"
	failure.path == fixture.env_path
	startswith(failure.msg, "inline-credentials: container \"tao\": env HF_TOKEN holds")
	fixture.hidden({failure})
}

test_outcome[what] if {
	some what, tc in {
		"a rule that denies": {"input": leaky, "deny": {"inline-credentials"}, "warn": set()},
		"a rule that warns": {"input": contradicting, "deny": set(), "warn": {"rendezvous-conflict"}},
		"a rule that denies, by default": {"input": too_many(false), "deny": {"gpu-capacity"}, "warn": set()},
		"a rule that denies, weakened": {"input": too_many(true), "deny": set(), "warn": {"gpu-capacity"}},
		"a CronJob": {"input": fixture.cron_job(leaky.spec.template), "deny": {"inline-credentials"}, "warn": set()},
		"a Job without fault": {"input": fixture.env("HF_TOKEN", "$(TOKEN)"), "deny": set(), "warn": set()},
		"a Job that is not labelled": {"input": json.remove(leaky, ["metadata/labels"]), "deny": set(), "warn": set()},
		"another kind": {"input": object.union(leaky, {"kind": "Deployment"}), "deny": set(), "warn": set()},
	}
	got := {
		"deny": {failure.rule | some failure in main.deny},
		"warn": {failure.rule | some failure in main.warn},
	} with input as tc.input
	got == object.remove(tc, ["input"])
}

leaky := fixture.env("HF_TOKEN", "hf_SyntheticHoldOutTokenForTestsOnlyAbCd")

contradicting := {
	"object": fixture.env("NNODES", "2"),
	"training": {"nodes": 1, "gpusPerNode": 1, "containers": ["tao"]},
}

too_many(suspended) := {
	"object": fixture.container({}),
	"training": {"nodes": 1, "suspended": suspended, "containers": ["tao"], "queue": ""},
	"facts": {"capacity": {"want": 1, "fit": 0, "eligible": 0, "nodes": 1, "request": "nvidia.com/gpu: 16"}},
}
