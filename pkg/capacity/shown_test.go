package capacity

import (
	"strings"
	"testing"
)

func TestOrdinaryNamesAreShown(t *testing.T) {
	letters := strings.Repeat("a1B", 8)
	for name, want := range map[string]bool{
		"cpu": true, "ephemeral-storage": true, "hugepages-2Mi": true, "nvidia.com/gpu": true, "nvidia.com/mig-1g.10gb.shared": true,
		"nvidia.com/gpus.on.loan": true, "topology.kubernetes.io/zone": true, "rdma/hca_shared_devices_a": true,
		"nvidia.com/" + letters: false, letters: false, "nvidia.com/https://a/b": false, strings.Repeat("a", 33): false,
	} {
		if got := shown(name); (got == name) != want {
			t.Errorf("%s is shown as %s", name, got)
		}
	}
}
