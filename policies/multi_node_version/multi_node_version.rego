# METADATA
# title: More than one node on a cluster older than 1.28
# description: >-
#   Training on several nodes is supported from Kubernetes 1.28 on, which added
#   the completion index to the labels of an Indexed Job's pods. Training on one
#   node works on any version.
# custom:
#   id: multi-node-version
#   action: deny
#   fix: train on one node, or upgrade the cluster to Kubernetes 1.28 or newer
package tao.rules.multi_node_version

import data.tao.lib.manifest

violation contains {"path": manifest.nodes_path, "message": message} if {
	input.training.nodes > 1
	version := input.facts.kubeVersion
	[version.major, version.minor] < [1, 28]
	message := sprintf(
		"asks for %d nodes on Kubernetes %d.%d; only from 1.28 on do pods carry the label %s",
		[input.training.nodes, version.major, version.minor, "batch.kubernetes.io/job-completion-index"],
	)
}

skipped contains "the version of Kubernetes is not known: give --kube-version or --cluster" if {
	input.training.nodes > 1
	not input.facts.kubeVersion
}
