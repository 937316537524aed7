package tao.rules.multi_node_shape_test

import data.tao.rules.multi_node_shape as rule

nodes_path := ["metadata", "annotations", "tao.nvidia.com/nodes"]

name_path := ["metadata", "name"]

subdomain_path := ["spec", "template", "spec", "subdomain"]

metadata(change) := object.union({"name": "dino", "annotations": {"tao.nvidia.com/nodes": "2"}}, change)

job(change, spec) := {"kind": "Job", "metadata": metadata(change), "spec": spec}

named(length) := job({"name": letters(length)}, {})

letters(n) := concat("", ["a" | some _ in numbers.range(1, n)])

cron_job(name, spec) := {"kind": "CronJob", "metadata": {"name": name}, "spec": {"jobTemplate": {
	"metadata": {"annotations": {"tao.nvidia.com/nodes": "2"}},
	"spec": spec,
}}}

generated_cron_job(prefix) := object.union(cron_job("", {}), {"metadata": {"generateName": prefix}})

subdomain(name) := {"template": {"spec": {"subdomain": name}}}

judged(manifest, nodes, service) := {
	"object": manifest,
	"training": {"nodes": nodes, "service": "dino"},
	"facts": {"service": service},
}

paths contains v.path if some v in rule.violation

test_numbers[name] if {
	some name, tc in {
		"completions that differ contradict": {"spec": {"completions": 3}, "want": {nodes_path}},
		"parallelism that differs contradicts": {"spec": {"completions": 2, "parallelism": 4}, "want": {nodes_path}},
		"parallelism of nothing contradicts": {"spec": {"parallelism": 0}, "want": {nodes_path}},
		"equal numbers agree": {"spec": {"completions": 2, "parallelism": 2}, "want": set()},
		"ones are the defaults": {"spec": {"completions": 1, "parallelism": 1}, "want": set()},
		"no numbers are fine": {"spec": {"completionMode": "Indexed"}, "want": set()},
		"null is no number": {"spec": {"completions": null}, "want": set()},
	}
	paths == tc.want with input as judged(job({}, tc.spec), 2, {})
}

test_both_numbers_are_told if {
	messages := {v.message | some v in rule.violation} with input as judged(
		job({}, {"completions": 3, "parallelism": 4}),
		2, {},
	)
	messages == {
		"the annotation asks for 2 nodes, but completions is 3",
		"the annotation asks for 2 nodes, but parallelism is 4",
	}
}

test_one_node_is_never_found[name] if {
	some name, manifest in {
		"an array of runs": job({"annotations": {"tao.nvidia.com/nodes": "1"}}, {"completions": 8}),
		"a long name": named(63),
		"a name with a dot": job({"name": "a.b"}, {}),
	}
	paths == set() with input as judged(manifest, 1, {"exists": true, "ours": false})
}

test_cron_job_numbers_stand_in_the_template if {
	want := {["spec", "jobTemplate", "metadata", "annotations", "tao.nvidia.com/nodes"]}
	paths == want with input as judged(cron_job("dino", {"completions": 3}), 2, {})
}

test_names[name] if {
	some name, tc in {
		"61 characters and -1 fit": {"object": named(61), "nodes": 2, "want": set()},
		"62 do not": {"object": named(62), "nodes": 2, "want": {name_path}},
		"an index of two digits needs room": {"object": named(61), "nodes": 11, "want": {name_path}},
		"ten nodes end with -9": {"object": named(61), "nodes": 10, "want": set()},
		"a digit in front needs room for tao-": {
			"object": job({"name": concat("", ["3", letters(59)])}, {}), "nodes": 2,
			"want": {name_path},
		},
		"a subdomain of one's own needs none": {
			"object": job({"name": concat("", ["3", letters(59)])}, subdomain("own")), "nodes": 2,
			"want": set(),
		},
		"a name with a dot is no host name": {"object": job({"name": "dino.v2"}, {}), "nodes": 2, "want": {name_path}},
		"a CronJob's name leaves room for the schedule": {"object": cron_job(letters(50), {}), "nodes": 2, "want": set()},
		"one character more does not": {"object": cron_job(letters(51), {}), "nodes": 2, "want": {name_path}},
		"a prefix of any length is cut by injection": {
			"object": job({"name": "", "generateName": concat("", [letters(70), "-"])}, {}), "nodes": 2,
			"want": set(),
		},
		"that of a CronJob leaves room for what is generated and the schedule": {
			"object": generated_cron_job(letters(45)), "nodes": 2,
			"want": set(),
		},
		"a longer one does not": {
			"object": generated_cron_job(letters(46)), "nodes": 2,
			"want": {["metadata", "generateName"]},
		},
		"without any name there is nothing to judge": {"object": job({"name": ""}, {}), "nodes": 2, "want": set()},
	}
	paths == tc.want with input as judged(tc.object, tc.nodes, {})
}

test_the_length_that_fits_is_told[name] if {
	some name, tc in {
		"of a Job": {"object": named(63), "want": "at most 61 characters"},
		"of a CronJob": {"object": cron_job(letters(52), {}), "want": "at most 50 characters"},
	}
	some v in rule.violation with input as judged(tc.object, 2, {})
	contains(v.fix, tc.want)
}

test_subdomains[name] if {
	some name, tc in {
		"a leading digit names no Service": {"object": job({}, subdomain("3d")), "want": {subdomain_path}},
		"nor do 64 characters": {"object": job({}, subdomain(letters(64))), "want": {subdomain_path}},
		"63 do": {"object": job({}, subdomain(letters(63))), "want": set()},
		"in a CronJob it stands below the template": {
			"object": cron_job("dino", subdomain("a.b")),
			"want": {array.concat(["spec", "jobTemplate"], subdomain_path)},
		},
	}
	paths == tc.want with input as judged(tc.object, 2, {})
}

test_services[name] if {
	some name, tc in {
		"one with a virtual IP is in the way": {
			"object": job({}, {}), "service": {"exists": true, "ours": false, "headless": false, "selectsJob": true},
			"want": {name_path},
		},
		"so is one for other pods, under one's own subdomain": {
			"object": job({}, subdomain("own")),
			"service": {"exists": true, "ours": false, "headless": true, "selectsJob": false},
			"want": {subdomain_path},
		},
		"an injected subdomain is not to blame": {
			"object": job({}, subdomain("dino")),
			"service": {"exists": true, "ours": false, "headless": true, "selectsJob": false},
			"want": {name_path},
		},
		"one that does the work may stay": {
			"object": job({}, {}), "service": {"exists": true, "ours": false, "headless": true, "selectsJob": true},
			"want": set(),
		},
		"our own is repaired": {
			"object": job({}, {}), "service": {"exists": true, "ours": true, "headless": false, "selectsJob": false},
			"want": set(),
		},
		"none is in nobody's way": {"object": job({}, {}), "service": {"exists": false}, "want": set()},
	}
	paths == tc.want with input as judged(tc.object, 2, tc.service)
}

test_skipped[name] if {
	some name, tc in {
		"several nodes want to know of Services": {"object": job({}, {}), "nodes": 2, "want": 1},
		"one node does not": {"object": job({}, {}), "nodes": 1, "want": 0},
		"a CronJob's Services have no names yet": {"object": cron_job("dino", {}), "nodes": 2, "want": 0},
	}
	count(rule.skipped) == tc.want with input as {
		"object": tc.object, "training": {"nodes": tc.nodes, "service": "dino"}, "facts": {},
	}
}
