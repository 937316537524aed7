package tao.rules.missing_reference_test

import data.tao.lib.fixture
import data.tao.rules.missing_reference as rule

claims := {"spec": {"volumes": [
	{"name": "scratch", "emptyDir": {}},
	{"name": "data", "persistentVolumeClaim": {"claimName": "coco"}},
]}}

named := {"spec": {"imagePullSecrets": [{"name": "ngc"}]}}

ngc := {"missing": ["ngc"], "none": false}

test_warn[name] if {
	some name, tc in {
		"a claim that is not there": {
			"object": fixture.job(claims), "facts": {"claims": {"missing": ["coco"]}},
			"at": ["spec", "template", "spec", "volumes", 1, "persistentVolumeClaim", "claimName"],
			"says": `volume "data" is the PersistentVolumeClaim "coco", which is not in the namespace`,
		},
		"one of a CronJob": {
			"object": fixture.cron_job(claims), "facts": {"claims": {"missing": ["coco"]}},
			"at": ["spec", "jobTemplate", "spec", "template", "spec", "volumes", 1, "persistentVolumeClaim", "claimName"],
			"says": `"coco"`,
		},
		"a pull secret that is not there": {
			"object": fixture.job(named), "facts": {"pullSecrets": ngc},
			"at": ["spec", "template", "spec", "imagePullSecrets"],
			"says": `by the Secret "ngc", which is not in the namespace`,
		},
		"one that the account names": {
			"object": fixture.job({"spec": {}}), "facts": {"pullSecrets": object.union(ngc, {"account": "train"})},
			"at": ["spec", "template", "spec"],
			"says": `by the Secret "ngc" of ServiceAccount "train", which is not in the namespace`,
		},
		"none at all": {
			"object": fixture.job({"spec": {}}),
			"facts": {"pullSecrets": {"missing": [], "none": true, "account": "default"}},
			"at": ["spec", "template", "spec"],
			"says": `neither the pods nor ServiceAccount "default" name one`,
		},
	}
	some v in rule.violation with input as tc
	v.path == tc.at
	contains(v.message, tc.says)
	count(rule.violation) == 1 with input as tc
}

test_what_is_there_passes if {
	count(rule.violation) == 0 with input as {
		"object": fixture.job(claims),
		"facts": {"claims": {"missing": []}, "pullSecrets": {"missing": [], "none": false}},
	}
}

test_skipped_says_what_to_give if {
	some reason in rule.skipped with input as {"object": fixture.job(claims), "facts": {}}
	contains(reason, "--inventory")
}

test_skipped_only_where_it_matters if {
	count(rule.skipped) == 0 with input as {"object": fixture.job(named), "facts": {}}
	count(rule.skipped) == 0 with input as {"object": fixture.job(claims), "facts": {"claims": {"missing": []}}}
}
