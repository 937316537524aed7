# METADATA
# title: Results that die with the pod
# description: >-
#   What a container writes is gone with its pod, unless it writes to a volume that
#   outlives it. The directory of the results is the annotation tao.nvidia.com/results-dir,
#   or what the command line names: TAO's results_dir, or -r.
# custom:
#   id: results-persistence
#   action: warn
#   fix: mount a PersistentVolumeClaim there, or name a directory below one that is mounted
package tao.rules.results_persistence

import data.tao.lib.manifest
import data.tao.lib.pod

results_dir := "tao.nvidia.com/results-dir"

violation contains {"path": array.concat(manifest.annotations_path, [results_dir]), "message": message} if {
	dir := manifest.annotations[results_dir]
	startswith(dir, "/")
	some c in trainers
	message := sprintf("container %q writes its results to %s", [c.spec.name, fate(c, dir)])
}

violation contains {"path": word.path, "message": message} if {
	not manifest.annotations[results_dir]
	some c in trainers
	some word in words(c)
	startswith(word.dir, "/")
	message := sprintf("container %q writes its results to %s", [c.spec.name, fate(c, word.dir)])
}

trainers contains c if {
	some c in pod.containers
	c.spec.name in input.training.containers
}

# What becomes of what is written there; undefined if it stays.
fate(c, dir) := "a directory that no volume is mounted at" if {
	not mount(c, dir)
} else := sprintf("the volume %q, which is %s", [volume.name, is]) if {
	some volume in pod.spec.volumes
	volume.name == mount(c, dir).name
	some kind, is in {"emptyDir": "an emptyDir", "ephemeral": "ephemeral"}
	volume[kind]
}

# The mount that a path is on: that with the longest path above it.
mount(c, dir) := [m |
	some m in c.spec.volumeMounts
	count(trim_right(m.mountPath, "/")) == longest(c, dir)
	above(m.mountPath, dir)
][0]

longest(c, dir) := max({count(trim_right(m.mountPath, "/")) |
	some m in c.spec.volumeMounts
	above(m.mountPath, dir)
})

above(mounted, dir) if startswith(sprintf("%s/", [trim_right(dir, "/")]), sprintf("%s/", [trim_right(mounted, "/")]))

# Directories on the command line: results_dir=/x as Hydra takes it, also below a
# key; --results_dir /x; and -r /x, as TAO's older networks take it.
words(c) := {{"dir": hit[1], "path": array.concat(c.path, [field, i])} |
	some field in ["command", "args"]
	some i, text in c.spec[field]
	some hit in regex.find_all_string_submatch_n(`(?:^|[\s"'.])results_dir[=\s]["']?(/[^\s"';&|$]*)`, text, -1)
} | {{"dir": value, "path": array.concat(c.path, [field, i + 1])} |
	some field in ["command", "args"]
	some i, text in c.spec[field]
	text in {"-r", "--results_dir", "--results-dir"}
	value := c.spec[field][i + 1]
}
