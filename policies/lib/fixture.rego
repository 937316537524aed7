# METADATA
# description: Objects for tests.
package tao.lib.fixture

# A labelled Job with that pod template.
job(template) := {
	"apiVersion": "batch/v1",
	"kind": "Job",
	"metadata": {"name": "dino", "labels": {"tao.nvidia.com/job": "true"}},
	"spec": {"template": template},
}

# A CronJob of such Jobs.
cron_job(template) := {
	"apiVersion": "batch/v1",
	"kind": "CronJob",
	"metadata": {"name": "nightly"},
	"spec": {"schedule": "0 3 * * *", "jobTemplate": object.remove(job(template), ["apiVersion", "kind"])},
}

# A Job with one container, "tao", that is as given.
container(fields) := job({"spec": {"containers": [object.union({"name": "tao", "image": "tao:1"}, fields)]}})

container_path := ["spec", "template", "spec", "containers", 0]

# A Job whose container has one variable.
env(name, value) := container({"env": [{"name": name, "value": value}]})

env_path := array.concat(container_path, ["env", 0, "value"])

# A Job whose container runs one shell script.
script(text) := container({"command": ["/bin/sh", "-c", text]})

script_path := array.concat(container_path, ["command", 2])

# Jobs with a place for each of many cases: pairs of a name and a value, shell
# scripts, lists of arguments.
variables(cases) := job({"spec": {"containers": [{"name": "tao", "env": [env]} |
	some [name, value] in cases
	env := {"name": name, "value": value}
]}})

scripts(cases) := job({"spec": {"containers": [{"name": "tao", "command": ["/bin/sh", "-c", text]} | some text in cases]}})

arguments(cases) := job({"spec": {"containers": [{"name": "tao", "args": args} | some args in cases]}})

annotation(key, value) := object.union(container({}), {"metadata": {"annotations": {key: value}}})

# The cases that were found.
hits(violations) := {violation.path[4] | some violation in violations}

# No part of the secrets that the tests use is shown.
hidden(violations) if {
	every violation in violations {
		not regex.match(canaries, sprintf("%v", [violation]))
	}
}

canaries := `(?i:synthetic|hunter2|q7wz2kp9|3f9a1c7e|quartz7plum|supersecret|letmein|s3cr3t|minio123|geheim|pa55|plum-)`
