# METADATA
# description: >-
#   The pod template of a Job, or of the Job in a CronJob, and its containers of
#   every kind. Paths are those of the whole object.
package tao.lib.pod

import data.tao.lib.manifest

document := manifest.document

default job_path := []

job_path := ["spec", "jobTemplate"] if manifest.is_cron_job

job := document.spec.jobTemplate if manifest.is_cron_job

job := document if not manifest.is_cron_job

template_path := array.concat(manifest.spec_path, ["template"])

template := manifest.spec.template

spec_path := array.concat(template_path, ["spec"])

spec := template.spec

kinds := {"containers": "container", "initContainers": "init", "ephemeralContainers": "ephemeral"}

# Each as {"path": where it stands, "spec": the container, "kind": "container", "init" or "ephemeral"}.
containers := [{"path": array.concat(spec_path, [field, i]), "spec": container, "kind": kind} |
	some field, kind in kinds
	some i, container in spec[field]
]
