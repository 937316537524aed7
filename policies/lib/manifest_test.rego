package tao.lib.manifest_test

import data.tao.lib.manifest

job := {"kind": "Job", "metadata": {"annotations": {"tao.nvidia.com/nodes": "2"}}, "spec": {"completions": 2}}

cron_job := {"kind": "CronJob", "metadata": {"annotations": {"a": "b"}}, "spec": {"jobTemplate": job}}

test_a_plain_manifest_is_the_object if {
	manifest.document == job with input as job
	manifest.spec == job.spec with input as job
}

test_places[name] if {
	some name, tc in {
		"a Job's are at the top": {
			"object": job, "spec": ["spec"],
			"nodes": ["metadata", "annotations", "tao.nvidia.com/nodes"],
		},
		"a CronJob's are in its template": {
			"object": cron_job, "spec": ["spec", "jobTemplate", "spec"],
			"nodes": ["spec", "jobTemplate", "metadata", "annotations", "tao.nvidia.com/nodes"],
		},
		"without the annotation the completions count": {
			"object": {"kind": "Job", "spec": job.spec}, "spec": ["spec"],
			"nodes": ["spec", "completions"],
		},
	}
	manifest.spec_path == tc.spec with input.object as tc.object
	manifest.nodes_path == tc.nodes with input.object as tc.object
}

test_values[name] if {
	some name, document in {"of a Job": job, "of a CronJob": cron_job}
	manifest.spec == job.spec with input.object as document
	manifest.annotations == job.metadata.annotations with input.object as document
}
