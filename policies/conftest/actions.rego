# METADATA
# description: What the METADATA of each rule has as its action. Made by `make docs`.
package tao.conftest.actions

by_rule := {
	"gpu_capacity": "deny",
	"inline_credentials": "deny",
	"missing_reference": "warn",
	"multi_node_shape": "deny",
	"multi_node_version": "deny",
	"rendezvous_conflict": "warn",
	"resource_quota": "warn",
	"results_persistence": "warn",
}
