package capacity

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// fits are nodes, a pod, how many of it are wanted, and how many fit.
type fits struct {
	nodes []*corev1.Node
	pod   *corev1.PodTemplateSpec
	want  int
	fit   int
}

func checkFits(t *testing.T, cases map[string]fits) {
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := NewIndex(tc.nodes...).Fit(tc.pod, tc.want)
			if got.Fit != tc.fit || got.Want != tc.want || got.Nodes != len(tc.nodes) {
				t.Errorf("%d fit, want %d: %+v", got.Fit, tc.fit, got)
			}
		})
	}
}

func TestFit(t *testing.T) {
	a, b := gpuNode("a"), gpuNode("b")
	cpu := gpuNode("cpu", gpuless)
	checkFits(t, map[string]fits{
		"a pod fits on a node that has as much":                   {[]*corev1.Node{a}, pod(gpus("8")), 1, 1},
		"nothing fits on no nodes":                                {nil, pod(gpus("1")), 1, 0},
		"the sum of two nodes is not a node":                      {[]*corev1.Node{gpuNode("a", has("nvidia.com/gpu", "4")), gpuNode("b", has("nvidia.com/gpu", "4"))}, pod(gpus("8")), 1, 0},
		"two pods fit on two nodes":                               {[]*corev1.Node{a, b, cpu}, pod(gpus("8")), 2, 2},
		"three do not":                                            {[]*corev1.Node{a, b, cpu}, pod(gpus("8")), 3, 2},
		"two pods may share a node":                               {[]*corev1.Node{a}, pod(gpus("4")), 2, 2},
		"pods that do not divide a node leave a rest":             {[]*corev1.Node{a, b}, pod(gpus("5")), 3, 2},
		"memory counts like GPUs":                                 {[]*corev1.Node{a}, pod(quantities("nvidia.com/gpu", "1", "memory", "1Ti")), 1, 0},
		"so do CPUs, in thousandths":                              {[]*corev1.Node{a}, pod(quantities("cpu", "64001m")), 1, 0},
		"a run on CPUs fits anywhere":                             {[]*corev1.Node{cpu}, pod(quantities("cpu", "1")), 1, 1},
		"a pod that asks for nothing fits":                        {[]*corev1.Node{cpu}, pod(nil), 1, 1},
		"a node holds no more pods than it says":                  {[]*corev1.Node{gpuNode("a", has("pods", "1"))}, pod(nil), 2, 1},
		"a node that says nothing of pods holds some":             {[]*corev1.Node{gpuNode("a", func(n *corev1.Node) { delete(n.Status.Allocatable, "pods") })}, pod(gpus("1")), 2, 2},
		"a cordoned node does not count":                          {[]*corev1.Node{gpuNode("a", cordoned)}, pod(gpus("8")), 1, 0},
		"unless the cordon is tolerated":                          {[]*corev1.Node{gpuNode("a", cordoned)}, pod(gpus("8"), tolerates(corev1.TaintNodeUnschedulable)), 1, 1},
		"a node that is not ready does not count":                 {[]*corev1.Node{gpuNode("a", status(corev1.ConditionFalse))}, pod(gpus("8")), 1, 0},
		"a node that nobody heard of lately does not count":       {[]*corev1.Node{gpuNode("a", status(corev1.ConditionUnknown))}, pod(gpus("8")), 1, 0},
		"a node without conditions counts":                        {[]*corev1.Node{gpuNode("a", func(n *corev1.Node) { n.Status.Conditions = nil })}, pod(gpus("8")), 1, 1},
		"a taint keeps pods away":                                 {[]*corev1.Node{gpuNode("a", taint("team", "x", corev1.TaintEffectNoSchedule))}, pod(gpus("8")), 1, 0},
		"so does one that evicts":                                 {[]*corev1.Node{gpuNode("a", taint("team", "x", corev1.TaintEffectNoExecute))}, pod(gpus("8")), 1, 0},
		"a taint that only prefers does not":                      {[]*corev1.Node{gpuNode("a", taint("team", "x", corev1.TaintEffectPreferNoSchedule))}, pod(gpus("8")), 1, 1},
		"a tolerated taint does not":                              {[]*corev1.Node{gpuNode("a", taint("team", "x", corev1.TaintEffectNoSchedule))}, pod(gpus("8"), tolerates("team")), 1, 1},
		"the node selector counts":                                {[]*corev1.Node{a, gpuNode("h", label("gpu", "h100"))}, pod(gpus("8"), selects("gpu", "h100")), 2, 1},
		"required affinity counts":                                {[]*corev1.Node{a, gpuNode("h", label("gpu", "h100"))}, pod(gpus("8"), requires(corev1.NodeSelectorOpNotIn, "gpu", "h100")), 2, 1},
		"a number is compared as one":                             {[]*corev1.Node{gpuNode("a", label("mem", "80")), gpuNode("b", label("mem", "40"))}, pod(gpus("8"), requires(corev1.NodeSelectorOpGt, "mem", "60")), 2, 1},
		"MIG slices are a resource of their own":                  {[]*corev1.Node{gpuNode("a", has("nvidia.com/mig-1g.10gb", "7"))}, pod(quantities("nvidia.com/mig-1g.10gb", "4")), 2, 1},
		"init containers count by their maximum":                  {[]*corev1.Node{a}, pod(gpus("1"), initGPUs("16")), 1, 0},
		"sidecars add up":                                         {[]*corev1.Node{a}, pod(gpus("8"), sidecarGPUs("1")), 1, 0},
		"overhead adds up":                                        {[]*corev1.Node{a}, pod(quantities("memory", "512Gi"), func(p *corev1.PodTemplateSpec) { p.Spec.Overhead = quantities("memory", "1Mi") }), 1, 0},
		"the pod's own memory counts instead of its containers'":  {[]*corev1.Node{a}, pod(gpus("1"), podMemory("1Ti")), 1, 0},
		"a request below the limit is what counts":                {[]*corev1.Node{a}, pod(quantities("cpu", "128"), func(p *corev1.PodTemplateSpec) { p.Spec.Containers[0].Resources.Requests = quantities("cpu", "1") }), 1, 1},
		"an affinity that cannot be read matches nothing":         {[]*corev1.Node{a}, pod(gpus("1"), requires("Sometimes", "gpu", "x")), 1, 0},
		"a GPU that is asked for as none is none":                 {[]*corev1.Node{cpu}, pod(gpus("0")), 1, 1},
		"nodes with the scarcest resource are the only that help": {[]*corev1.Node{a, gpuNode("r", has("rdma/hca", "1"))}, pod(quantities("nvidia.com/gpu", "1", "rdma/hca", "1")), 2, 1},
		"a node without GPUs does not help":                       {[]*corev1.Node{cpu}, pod(gpus("1")), 1, 0},
		"shared GPUs are a resource of their own":                 {[]*corev1.Node{gpuNode("a", has("nvidia.com/gpu.shared", "4"))}, pod(quantities("nvidia.com/gpu.shared", "1")), 5, 4},
		"huge pages count":                                        {[]*corev1.Node{gpuNode("a", has("hugepages-2Mi", "1Gi"))}, pod(quantities("hugepages-2Mi", "1Gi")), 2, 1},
		"ephemeral storage counts":                                {[]*corev1.Node{gpuNode("a", has("ephemeral-storage", "100Gi"))}, pod(quantities("ephemeral-storage", "60Gi")), 2, 1},
		"containers add up":                                       {[]*corev1.Node{a}, pod(gpus("5"), func(p *corev1.PodTemplateSpec) { p.Spec.Containers = append(p.Spec.Containers, p.Spec.Containers[0]) }), 1, 0},
		"overhead counts once beside the pod's own limits":        {[]*corev1.Node{a}, pod(quantities("cpu", "40"), podMemory("1Gi"), func(p *corev1.PodTemplateSpec) { p.Spec.Overhead = quantities("cpu", "20") }), 1, 1},
		"the pod's own limits leave the containers' CPUs alone":   {[]*corev1.Node{a}, pod(quantities("cpu", "65"), podMemory("1Gi")), 1, 0},
		"huge pages go by the pod's own limit": {[]*corev1.Node{gpuNode("a", has("hugepages-2Mi", "1Gi"))}, pod(quantities("hugepages-2Mi", "1Gi"), podMemory("1Gi"), func(p *corev1.PodTemplateSpec) {
			p.Spec.Resources.Limits["hugepages-2Mi"] = quantities("x", "512Mi")["x"]
		}), 3, 2},
		"any of several affinity terms is enough":             {[]*corev1.Node{gpuNode("x", label("gpu", "h100")), gpuNode("y", label("gpu", "a100")), a}, pod(gpus("8"), requires(corev1.NodeSelectorOpIn, "gpu", "h100"), orRequires("gpu", "a100")), 3, 2},
		"a pinned pod has one node":                           {[]*corev1.Node{a, b}, pod(gpus("4"), pinnedTo("b")), 3, 2},
		"a pinned pod does not mind cordons, nor what repels": {[]*corev1.Node{gpuNode("b", cordoned, taint("team", "x", corev1.TaintEffectNoSchedule))}, pod(gpus("8"), pinnedTo("b")), 1, 1},
		"a taint that evicts removes it, too":                 {[]*corev1.Node{gpuNode("b", taint("team", "x", corev1.TaintEffectNoExecute))}, pod(gpus("8"), pinnedTo("b")), 1, 0},
		"wanting none is always possible":                     {nil, pod(gpus("8")), 0, 0},
	})
}

func TestFitLeavesTheTemplateAlone(t *testing.T) {
	p := pod(gpus("8"), podMemory("15.5Gi"), initGPUs("1"), apart("zone"))
	p.Spec.Overhead = quantities("memory", "1Gi")
	before := p.DeepCopy()
	for range 2 {
		got := NewIndex(gpuNode("a")).Fit(p, 2)
		checkSame(t, "nvidia.com/gpu: 8, memory: 16896Mi", got.Request)
	}
	checkSame(t, before, p)
}
