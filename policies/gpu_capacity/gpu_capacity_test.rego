package tao.rules.gpu_capacity_test

import data.tao.rules.gpu_capacity as rule

sidecar := {"name": "logs", "resources": {"limits": {"cpu": "1"}}}

trainer := {"name": "tao", "resources": {"limits": {"nvidia.com/gpu": "8"}}}

pod_spec := {"template": {"spec": {"initContainers": [trainer], "containers": [sidecar, trainer]}}}

job := {"kind": "Job", "spec": pod_spec}

running := {"nodes": 2, "containers": ["tao"], "suspended": false, "queue": ""}

tight := {
	"want": 2, "fit": 1, "eligible": 1, "nodes": 3, "request": "nvidia.com/gpu: 8",
	"reasons": [{"nodes": 2, "reason": "unschedulable"}],
}

known := {"object": job, "training": running, "facts": {"capacity": tight}}

test_deny[name] if {
	some name, tc in {
		"it stands at the limits of the container that asks for GPUs": {
			"change": {},
			"want": {["spec", "template", "spec", "containers", 1, "resources", "limits"]},
		},
		"in a CronJob below its template": {
			"change": {"object": {"kind": "CronJob", "spec": {"jobTemplate": {"spec": pod_spec}}}},
			"want": {["spec", "jobTemplate", "spec", "template", "spec", "containers", 1, "resources", "limits"]},
		},
		"without GPU limits at the resources of the first training container": {
			"change": {"training": {"containers": ["logs"]}},
			"want": {["spec", "template", "spec", "containers", 0, "resources"]},
		},
		"without a reading of the Job at its spec": {
			"change": {"training": {"containers": []}},
			"want": {["spec"]},
		},
		"just enough room passes": {"change": {"facts": {"capacity": {"fit": 2}}}, "want": set()},
		"unknown capacity finds nothing": {"change": {"facts": {"capacity": false}}, "want": set()},
	}
	{v.path | some v in rule.violation} == tc.want with input as object.union(known, tc.change)
}

test_message[name] if {
	some name, tc in {
		"it has all the numbers": {"change": {}, "want": {
			"container \"tao\"", "2 pods are needed at once that ask for nvidia.com/gpu: 8 each",
			"only 1 can be placed", "eligible nodes: 1 of 3 (2: unschedulable)",
		}},
		"one pod is no crowd": {"change": {"facts": {"capacity": {"want": 1, "fit": 0}}}, "want": {
			"a pod is needed that asks for nvidia.com/gpu: 8", "none fits",
		}},
		"without reasons there are no brackets": {
			"change": {"facts": {"capacity": {"reasons": []}}},
			"want": {"eligible nodes: 1 of 3"},
		},
		"three reasons are enough": {
			"change": {"facts": {"capacity": {"reasons": [{"nodes": n, "reason": "r"} | some n in [4, 3, 2, 1]]}}},
			"want": {"(4: r; 3: r; 2: r)"},
		},
	}
	some v in rule.violation with input as object.union(known, tc.change)
	every part in tc.want { contains(v.message, part) }
}

test_warn[name] if {
	some name, tc in {
		"a suspended Job is only warned about": {"training": {"suspended": true}, "want": "suspended"},
		"a queued Job as well": {"training": {"queue": "team-a"}, "want": "team-a"},
		"a suspended Job in a queue has one reason": {
			"training": {"suspended": true, "queue": "team-a"},
			"want": "suspended",
		},
	}
	some v in rule.violation with input as object.union(known, {"training": tc.training})
	v.action == "warn"
	contains(v.message, tc.want)
}

test_only_what_waits_is_warned_about if {
	some v in rule.violation with input as known
	not v.action
}

test_fix[name] if {
	some name, tc in {
		"no eligible node is a matter of placing": {"capacity": {"fit": 0, "eligible": 0}, "want": "nodeSelector"},
		"no node is large enough": {"capacity": {"fit": 0, "eligible": 3}, "want": "larger nodes"},
		"one fits": {"capacity": {"fit": 1, "eligible": 3}, "want": "train on one node"},
		"some fit": {"capacity": {"want": 4, "fit": 3, "eligible": 3}, "want": "at most 3 nodes"},
	}
	some v in rule.violation with input as object.union(known, {"facts": {"capacity": tc.capacity}})
	contains(v.fix, tc.want)
}

test_skipped_says_what_to_give if {
	some reason in rule.skipped with input as {"object": job, "training": running, "facts": {}}
	contains(reason, "--inventory")
}

test_known_capacity_is_not_skipped if {
	count(rule.skipped) == 0 with input as known
}
