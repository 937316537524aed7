package capacity

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

func TestPools(t *testing.T) {
	gpus := func(n int64) []Amount { return []Amount{{"nvidia.com/gpu", n}} }
	for name, tc := range map[string]struct {
		nodes []*corev1.Node
		want  []Pool
	}{
		"no nodes are no pools":       {nil, nil},
		"equal nodes are one pool":    {[]*corev1.Node{gpuNode("a"), gpuNode("b")}, []Pool{{Ready, 2, gpus(8)}}},
		"most GPUs come first":        {[]*corev1.Node{gpuNode("a", has("nvidia.com/gpu", "4")), gpuNode("b")}, []Pool{{Ready, 1, gpus(8)}, {Ready, 1, gpus(4)}}},
		"nodes without GPUs are last": {[]*corev1.Node{gpuNode("a", has("nvidia.com/gpu", "0")), gpuNode("b", status(corev1.ConditionUnknown))}, []Pool{{NotReady, 1, gpus(8)}, {Ready, 1, nil}}},
		"states are told apart": {
			[]*corev1.Node{gpuNode("a", status(corev1.ConditionFalse), cordoned), gpuNode("b", cordoned), gpuNode("c")},
			[]Pool{{Ready, 1, gpus(8)}, {Cordoned, 1, gpus(8)}, {NotReady, 1, gpus(8)}},
		},
		"other resources do not matter": {[]*corev1.Node{gpuNode("a", has("cpu", "1")), gpuNode("b", has("rdma/hca", "8"))}, []Pool{{Ready, 2, gpus(8)}}},
		"slices are a kind of their own": {
			[]*corev1.Node{gpuNode("a", has("nvidia.com/gpu", "0", "nvidia.com/mig-3g.20gb", "2", "nvidia.com/mig-1g.5gb", "7"))},
			[]Pool{{Ready, 1, []Amount{{"nvidia.com/mig-1g.5gb", 7}, {"nvidia.com/mig-3g.20gb", 2}}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, NewIndex(tc.nodes...).Pools()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
