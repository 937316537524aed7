package tao.rules.multi_node_version_test

import data.tao.rules.multi_node_version as rule

annotated := {"kind": "Job", "metadata": {"annotations": {"tao.nvidia.com/nodes": "2"}}, "spec": {}}

counted := {"kind": "Job", "spec": {"completionMode": "Indexed", "completions": 2, "parallelism": 2}}

version(minor) := {"kubeVersion": {"major": 1, "minor": minor}}

paths contains v.path if some v in rule.violation

test_deny[name] if {
	some name, tc in {
		"two nodes on 1.27 stand in the annotation": {
			"object": annotated, "nodes": 2, "facts": version(27),
			"want": {["metadata", "annotations", "tao.nvidia.com/nodes"]},
		},
		"two nodes by completions stand there": {
			"object": counted, "nodes": 2, "facts": version(27),
			"want": {["spec", "completions"]},
		},
		"those of a CronJob stand in its template": {
			"object": {"kind": "CronJob", "spec": {"jobTemplate": annotated}}, "nodes": 2, "facts": version(9),
			"want": {["spec", "jobTemplate", "metadata", "annotations", "tao.nvidia.com/nodes"]},
		},
		"completions of a CronJob as well": {
			"object": {"kind": "CronJob", "spec": {"jobTemplate": counted}}, "nodes": 2, "facts": version(27),
			"want": {["spec", "jobTemplate", "spec", "completions"]},
		},
		"1.28 is new enough": {"object": annotated, "nodes": 2, "facts": version(28), "want": set()},
		"so is another major version": {
			"object": annotated, "nodes": 2, "facts": {"kubeVersion": {"major": 2, "minor": 0}},
			"want": set(),
		},
		"one node runs on any version": {"object": annotated, "nodes": 1, "facts": version(24), "want": set()},
	}
	paths == tc.want with input as {"object": tc.object, "training": {"nodes": tc.nodes}, "facts": tc.facts}
}

test_message_says_what_1_28_added if {
	some v in rule.violation with input as {
		"object": annotated, "training": {"nodes": 2}, "facts": version(27),
	}
	contains(v.message, "asks for 2 nodes on Kubernetes 1.27")
	contains(v.message, "label batch.kubernetes.io/job-completion-index")
}

test_skipped[name] if {
	some name, tc in {
		"several nodes on an unknown version cannot be judged": {"nodes": 2, "facts": {}, "want": 1},
		"one node needs no version": {"nodes": 1, "facts": {}, "want": 0},
		"a known version is judged": {"nodes": 2, "facts": version(31), "want": 0},
	}
	count(rule.skipped) == tc.want with input as {"object": annotated, "training": {"nodes": tc.nodes}, "facts": tc.facts}
}
