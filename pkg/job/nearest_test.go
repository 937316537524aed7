package job_test

import (
	"testing"

	"github.com/taojob/taojob/pkg/job"
)

func TestNearest(t *testing.T) {
	words := []string{"nodes", "containers", "gpus-per-node", "shm-size", "nodeSelector", "in"}
	for name, tc := range map[string]struct{ in, want string }{
		"a letter that is missing":         {"node", "nodes"},
		"a letter too many":                {"nodess", "nodes"},
		"another letter":                   {"modes", "nodes"},
		"joined in another way":            {"gpusPerNode", "gpus-per-node"},
		"an underscore, and a slip":        {"gpu_per_node", "gpus-per-node"},
		"two letters that changed places":  {"ni", "in"},
		"in capitals":                      {"NODES", "nodes"},
		"two letters of a long word":       {"nodeselektr", "nodeSelector"},
		"the nearest of two that are near": {"nodeselector", "nodeSelector"},
		"another word":                     {"network", ""},
		"two letters of a short word":      {"odd", ""},
		"nothing":                          {"", ""},
		"a token":                          {"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", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := job.Nearest(tc.in, words); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
