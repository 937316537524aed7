package capacity

import (
	"fmt"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestReasons(t *testing.T) {
	a, b, cpu := gpuNode("a"), gpuNode("b"), gpuNode("cpu", gpuless)
	for name, tc := range map[string]struct {
		nodes []*corev1.Node
		pod   *corev1.PodTemplateSpec
		want  Result
	}{
		"each cause has its number, the most frequent first": {
			[]*corev1.Node{
				gpuNode("a", has("nvidia.com/gpu", "4")), gpuNode("b", has("nvidia.com/gpu", "2")), gpuNode("c", cordoned),
				gpuNode("d", status(corev1.ConditionFalse)), gpuNode("e", taint("team", "x", corev1.TaintEffectNoSchedule)), gpuNode("f"),
			},
			pod(quantities("nvidia.com/gpu", "8", "memory", "64Gi", "cpu", "4")),
			Result{Want: 4, Fit: 1, Eligible: 3, Nodes: 6, Request: "nvidia.com/gpu: 8, cpu: 4, memory: 64Gi", Reasons: []Reason{
				{2, "too little nvidia.com/gpu (4 at most, 8 asked)"}, {1, "not ready"}, {1, "unschedulable"}, {1, "untolerated taint team=x:NoSchedule"},
			}},
		},
		"none is told from too little": {
			[]*corev1.Node{cpu, gpuNode("c2", has("nvidia.com/gpu", "0")), a}, pod(gpus("16")),
			Result{Want: 4, Eligible: 3, Nodes: 3, Request: "nvidia.com/gpu: 16", Reasons: []Reason{
				{2, "no nvidia.com/gpu"}, {1, "too little nvidia.com/gpu (8 at most, 16 asked)"},
			}},
		},
		"amounts read as in a manifest": {
			[]*corev1.Node{a}, pod(quantities("memory", "1Ti", "cpu", "1500m")),
			Result{Want: 4, Eligible: 1, Nodes: 1, Request: "cpu: 1500m, memory: 1Ti", Reasons: []Reason{{1, "too little memory (512Gi at most, 1Ti asked)"}}},
		},
		"full nodes need no reason": {
			[]*corev1.Node{a, b}, pod(gpus("8")), Result{Want: 4, Fit: 2, Eligible: 2, Nodes: 2, Request: "nvidia.com/gpu: 8"},
		},
		"sisters that keep apart are one": {
			[]*corev1.Node{a, b}, pod(gpus("1"), apart(corev1.LabelHostname)),
			Result{Want: 4, Fit: 2, Eligible: 2, Nodes: 2, Request: "nvidia.com/gpu: 1", Reasons: []Reason{{2, "one pod per kubernetes.io/hostname: pod anti-affinity"}}},
		},
		"so is their company": {
			[]*corev1.Node{gpuNode("a", has("nvidia.com/gpu", "2")), gpuNode("z", label("zone", "z"), has("nvidia.com/gpu", "2"))}, pod(gpus("1"), together("zone")),
			Result{Want: 4, Fit: 2, Eligible: 2, Nodes: 2, Request: "nvidia.com/gpu: 1", Reasons: []Reason{{2, "all pods in one zone: pod affinity"}}},
		},
		"so is a host port": {
			[]*corev1.Node{a, b}, pod(nil, hostPort),
			Result{Want: 4, Fit: 2, Eligible: 2, Nodes: 2, Request: "no resources", Reasons: []Reason{{2, "one pod per node: host port"}}},
		},
		"so is spread": {
			[]*corev1.Node{a, gpuNode("c", label("zone", "c"), gpuless)}, pod(gpus("1"), spreadOver("zone")),
			Result{Want: 4, Fit: 1, Eligible: 2, Nodes: 2, Request: "nvidia.com/gpu: 1", Reasons: []Reason{
				{1, "as many pods per zone as elsewhere: topology spread"}, {1, "no nvidia.com/gpu"},
			}},
		},
		"a label that company needs is missing": {
			[]*corev1.Node{a, b}, pod(gpus("1"), together("rack")),
			Result{Want: 4, Nodes: 2, Request: "nvidia.com/gpu: 1", Reasons: []Reason{{2, "no label rack, which pod affinity needs"}}},
		},
		"the rest is summed up": {
			many(9), pod(gpus("1")), Result{Want: 4, Nodes: 9, Request: "nvidia.com/gpu: 1", Reasons: []Reason{
				{1, "untolerated taint team-0:NoSchedule"}, {1, "untolerated taint team-1:NoSchedule"}, {1, "untolerated taint team-2:NoSchedule"},
				{1, "untolerated taint team-3:NoSchedule"}, {1, "untolerated taint team-4:NoSchedule"}, {4, "other"},
			}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			checkSame(t, tc.want, NewIndex(tc.nodes...).Fit(tc.pod, 4))
		})
	}
}

// many are nodes that each have a taint of their own.
func many(count int) []*corev1.Node {
	var nodes []*corev1.Node
	for i := range count {
		nodes = append(nodes, gpuNode(strconv.Itoa(i), taint(fmt.Sprint("team-", i), "", corev1.TaintEffectNoSchedule)))
	}
	return nodes
}
