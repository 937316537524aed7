# METADATA
# description: >-
#   Where things stand in a Job, or in the Job that a CronJob holds. Paths are
#   those of the whole object, so that a finding points into what its author wrote.
package tao.lib.manifest

# The judged object; a plain manifest may also be the whole input.
document := value if {
	value := input.object
} else := input

default is_cron_job := false

is_cron_job if document.kind == "CronJob"

# The path and the value of the Job's spec.
default spec_path := ["spec"]

spec_path := ["spec", "jobTemplate", "spec"] if is_cron_job

spec := document.spec.jobTemplate.spec if is_cron_job

spec := document.spec if not is_cron_job

# The path and the value of the Job's annotations.
default annotations_path := ["metadata", "annotations"]

annotations_path := ["spec", "jobTemplate", "metadata", "annotations"] if is_cron_job

annotations := document.spec.jobTemplate.metadata.annotations if is_cron_job

annotations := document.metadata.annotations if not is_cron_job

# Where the number of nodes stands: in the annotation, else in the completions.
default has_nodes_annotation := false

has_nodes_annotation if annotations["tao.nvidia.com/nodes"]

nodes_path := array.concat(annotations_path, ["tao.nvidia.com/nodes"]) if has_nodes_annotation

nodes_path := array.concat(spec_path, ["completions"]) if not has_nodes_annotation
