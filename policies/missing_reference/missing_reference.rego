# METADATA
# title: Something that the pods name is not there
# description: >-
#   A pod waits for its PersistentVolumeClaims, and for images that it may not take.
#   NVIDIA's registry asks for a login for most of its images, by a Secret that the
#   pods or their ServiceAccount name. Of Secrets only the names are looked at.
# custom:
#   id: missing-reference
#   action: warn
#   fix: create it before the Job, or correct the name
package tao.rules.missing_reference

import data.tao.lib.pod

violation contains {"path": path, "message": message} if {
	some name in input.facts.claims.missing
	some i, volume in pod.spec.volumes
	volume.persistentVolumeClaim.claimName == name
	path := array.concat(pod.spec_path, ["volumes", i, "persistentVolumeClaim", "claimName"])
	message := sprintf("volume %q is the PersistentVolumeClaim %q, which is not in the namespace: the pods wait for it", [
		volume.name, name,
	])
}

violation contains {"path": pull_path, "message": message} if {
	some name in input.facts.pullSecrets.missing
	message := sprintf("images of nvcr.io are taken by the Secret %q%s, which is not in the namespace: %s", [name, account, fate])
}

violation contains {"path": pod.spec_path, "message": message, "fix": fix} if {
	input.facts.pullSecrets.none
	message := sprintf("images of nvcr.io are taken without a pull secret, since neither the pods nor %s name one: %s", [
		sprintf("ServiceAccount %q", [input.facts.pullSecrets.account]), fate,
	])
	fix := concat("", [
		"create a Secret for nvcr.io with kubectl create secret docker-registry ",
		"and name it in imagePullSecrets; nodes that log in themselves need none",
	])
}

skipped contains "whether the PersistentVolumeClaims exist is not known: give --inventory with them, or --cluster" if {
	not input.facts.claims
	some volume in pod.spec.volumes
	volume.persistentVolumeClaim
}

fate := "those that need a login are not pulled"

default account := ""

account := sprintf(" of ServiceAccount %q", [input.facts.pullSecrets.account]) if input.facts.pullSecrets.account

pull_path := array.concat(pod.spec_path, ["imagePullSecrets"]) if pod.spec.imagePullSecrets

pull_path := pod.spec_path if not pod.spec.imagePullSecrets
