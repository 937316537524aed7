package capacity

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// gpuNode has eight GPUs, 64 CPUs and 512Gi, but for what the changes say.
func gpuNode(name string, changes ...func(*corev1.Node)) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name, "zone": "a"}}}
	n.Status.Allocatable = quantities("cpu", "64", "memory", "512Gi", "pods", "110", "nvidia.com/gpu", "8")
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	for _, change := range changes {
		change(n)
	}
	return n
}

func quantities(pairs ...string) corev1.ResourceList {
	list := corev1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		list[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return list
}

func has(pairs ...string) func(*corev1.Node) {
	return func(n *corev1.Node) {
		for name, quantity := range quantities(pairs...) {
			n.Status.Allocatable[name] = quantity
		}
	}
}

func label(key, value string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Labels[key] = value }
}

func taint(key, value string, effect corev1.TaintEffect) func(*corev1.Node) {
	return func(n *corev1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Value: value, Effect: effect})
	}
}

func cordoned(n *corev1.Node) { n.Spec.Unschedulable = true }

func status(s corev1.ConditionStatus) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Status.Conditions[0].Status = s }
}

// pod has one container with these limits, but for what the changes say.
func pod(limits corev1.ResourceList, changes ...func(*corev1.PodTemplateSpec)) *corev1.PodTemplateSpec {
	p := &corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"job-name": "train"}}}
	p.Spec.Containers = []corev1.Container{{Name: "tao", Resources: corev1.ResourceRequirements{Limits: limits}}}
	for _, change := range changes {
		change(p)
	}
	return p
}

func gpus(n string) corev1.ResourceList { return quantities("nvidia.com/gpu", n) }

func tolerates(key string) func(*corev1.PodTemplateSpec) {
	return func(p *corev1.PodTemplateSpec) {
		p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists})
	}
}

func selects(key, value string) func(*corev1.PodTemplateSpec) {
	return func(p *corev1.PodTemplateSpec) { p.Spec.NodeSelector = map[string]string{key: value} }
}

func own(topology string) []corev1.PodAffinityTerm {
	return []corev1.PodAffinityTerm{{
		TopologyKey:   topology,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"job-name": "train"}},
	}}
}

func apart(topology string) func(*corev1.PodTemplateSpec) {
	return func(p *corev1.PodTemplateSpec) {
		p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: own(topology)}}
	}
}

func together(topology string) func(*corev1.PodTemplateSpec) {
	return func(p *corev1.PodTemplateSpec) {
		p.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: own(topology)}}
	}
}

func requires(operator corev1.NodeSelectorOperator, key string, values ...string) func(*corev1.PodTemplateSpec) {
	return func(p *corev1.PodTemplateSpec) {
		p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: operator, Values: values}}}},
		}}}
	}
}

func TestFit(t *testing.T) {
	a, b := gpuNode("a"), gpuNode("b")
	cpu := gpuNode("cpu", func(n *corev1.Node) { delete(n.Status.Allocatable, "nvidia.com/gpu") })
	for name, tc := range map[string]struct {
		nodes []*corev1.Node
		pod   *corev1.PodTemplateSpec
		want  int
		fit   int
	}{
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
		"a pinned pod has one node":                               {[]*corev1.Node{a, b}, pod(gpus("4"), func(p *corev1.PodTemplateSpec) { p.Spec.NodeName = "b" }), 3, 2},
		"MIG slices are a resource of their own":                  {[]*corev1.Node{gpuNode("a", has("nvidia.com/mig-1g.10gb", "7"))}, pod(quantities("nvidia.com/mig-1g.10gb", "4")), 2, 1},
		"pods that keep apart take a node each":                   {[]*corev1.Node{a, b}, pod(gpus("1"), apart(corev1.LabelHostname)), 3, 2},
		"or a zone each":                                          {[]*corev1.Node{a, b, gpuNode("c", label("zone", "b"))}, pod(gpus("1"), apart("zone")), 3, 2},
		"nodes without the label keep nothing apart":              {[]*corev1.Node{a}, pod(gpus("1"), apart("rack")), 3, 3},
		"pods that stay together fit the best zone":               {[]*corev1.Node{a, gpuNode("c", label("zone", "b")), gpuNode("d", label("zone", "b"))}, pod(gpus("8"), together("zone")), 3, 2},
		"nodes without the label hold none of those":              {[]*corev1.Node{a, b}, pod(gpus("8"), together("rack")), 1, 0},
		"a host port is there once a node":                        {[]*corev1.Node{a, b}, pod(gpus("1"), hostPort), 3, 2},
		"init containers count by their maximum":                  {[]*corev1.Node{a}, pod(gpus("1"), initGPUs("16")), 1, 0},
		"sidecars add up":                                         {[]*corev1.Node{a}, pod(gpus("8"), sidecarGPUs("1")), 1, 0},
		"overhead adds up":                                        {[]*corev1.Node{a}, pod(quantities("memory", "512Gi"), func(p *corev1.PodTemplateSpec) { p.Spec.Overhead = quantities("memory", "1Mi") }), 1, 0},
		"the pod's own memory counts instead of its containers'":  {[]*corev1.Node{a}, pod(gpus("1"), podMemory("1Ti")), 1, 0},
		"a request below the limit is what counts":                {[]*corev1.Node{a}, pod(quantities("cpu", "128"), func(p *corev1.PodTemplateSpec) { p.Spec.Containers[0].Resources.Requests = quantities("cpu", "1") }), 1, 1},
		"a term about other labels keeps nothing apart":           {[]*corev1.Node{a}, pod(gpus("1"), apart(corev1.LabelHostname), func(p *corev1.PodTemplateSpec) { p.Labels = nil }), 3, 3},
		"a term about another namespace keeps nothing apart":      {[]*corev1.Node{a}, pod(gpus("1"), apart(corev1.LabelHostname), otherNamespace), 3, 3},
		"an affinity that cannot be read matches nothing":         {[]*corev1.Node{a}, pod(gpus("1"), requires("Sometimes", "gpu", "x")), 1, 0},
		"a GPU that is asked for as none is none":                 {[]*corev1.Node{cpu}, pod(gpus("0")), 1, 1},
		"nodes with the scarcest resource are the only that help": {[]*corev1.Node{a, gpuNode("r", has("rdma/hca", "1"))}, pod(quantities("nvidia.com/gpu", "1", "rdma/hca", "1")), 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			got := NewIndex(tc.nodes...).Fit(tc.pod, tc.want)
			if got.Fit != tc.fit {
				t.Errorf("%d fit, want %d: %+v", got.Fit, tc.fit, got)
			}
		})
	}
}

func hostPort(p *corev1.PodTemplateSpec) {
	p.Spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 29500, HostPort: 29500}}
}

func initGPUs(n string) func(*corev1.PodTemplateSpec) {
	return func(p *corev1.PodTemplateSpec) {
		p.Spec.InitContainers = []corev1.Container{{Name: "init", Resources: corev1.ResourceRequirements{Limits: gpus(n)}}}
	}
}

func sidecarGPUs(n string) func(*corev1.PodTemplateSpec) {
	return func(p *corev1.PodTemplateSpec) {
		initGPUs(n)(p)
		p.Spec.InitContainers[0].RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
	}
}

func podMemory(limit string) func(*corev1.PodTemplateSpec) {
	return func(p *corev1.PodTemplateSpec) {
		p.Spec.Resources = &corev1.ResourceRequirements{Limits: quantities("memory", limit)}
	}
}

func otherNamespace(p *corev1.PodTemplateSpec) {
	p.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].Namespaces = []string{"other"}
}

func TestReasons(t *testing.T) {
	nodes := []*corev1.Node{
		gpuNode("a", has("nvidia.com/gpu", "4")), gpuNode("b", has("nvidia.com/gpu", "2")), gpuNode("c", cordoned),
		gpuNode("d", status(corev1.ConditionFalse)), gpuNode("e", taint("team", "x", corev1.TaintEffectNoSchedule)), gpuNode("f"),
	}
	got := NewIndex(nodes...).Fit(pod(quantities("nvidia.com/gpu", "8", "memory", "64Gi")), 2)
	want := Result{
		Want: 2, Fit: 1, Eligible: 3, Nodes: 6, Request: "nvidia.com/gpu: 8, memory: 64Gi",
		Reasons: []Reason{
			{2, "too little nvidia.com/gpu (4 at most, 8 asked)"}, {1, "cordoned"}, {1, "not ready"}, {1, "untolerated taint team=x:NoSchedule"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReasonsAreFew(t *testing.T) {
	var nodes []*corev1.Node
	for i := range 9 {
		nodes = append(nodes, gpuNode(fmt.Sprint(i), taint(fmt.Sprint("team-", i), "", corev1.TaintEffectNoSchedule)))
	}
	got := NewIndex(nodes...).Fit(pod(gpus("1")), 1).Reasons
	if len(got) != maxReasons+1 || got[maxReasons] != (Reason{4, "other reasons"}) {
		t.Errorf("got %v", got)
	}
}

func TestIndexFollowsItsNodes(t *testing.T) {
	i := NewIndex(gpuNode("a"))
	for _, step := range []struct {
		what   string
		change func()
		fit    int
	}{
		{"a node is there", func() {}, 1},
		{"a node is added", func() { i.Upsert(gpuNode("b")) }, 2},
		{"a node is cordoned", func() { i.Upsert(gpuNode("b", cordoned)) }, 1},
		{"a node is deleted", func() { i.Delete("a") }, 0},
		{"a node that is not there is deleted", func() { i.Delete("a") }, 0},
	} {
		step.change()
		if got := i.Fit(pod(gpus("8")), 3).Fit; got != step.fit {
			t.Errorf("%s: %d fit, want %d", step.what, got, step.fit)
		}
	}
	if i.Len() != 1 {
		t.Errorf("%d nodes, want 1", i.Len())
	}
}

func TestHeartbeatsChangeNothing(t *testing.T) {
	i := NewIndex(gpuNode("a"))
	before := i.snapshot()
	i.Upsert(gpuNode("a", func(n *corev1.Node) { n.Status.Conditions[0].LastHeartbeatTime = metav1.Now() }))
	if i.snapshot() != before {
		t.Error("a heartbeat makes a new snapshot")
	}
}

func TestStripKeepsWhatCounts(t *testing.T) {
	full := gpuNode("a", taint("team", "x", corev1.TaintEffectNoSchedule), cordoned)
	full.Annotations = map[string]string{"noise": "x"}
	full.Status.Images = []corev1.ContainerImage{{SizeBytes: 1}}
	want := newNode(full.DeepCopy())
	stripped := Strip(full)
	if diff := cmp.Diff(want, newNode(stripped), cmp.AllowUnexported(node{})); diff != "" || stripped.Annotations != nil || stripped.Status.Images != nil {
		t.Errorf("left %v (-full +stripped):\n%s", stripped, diff)
	}
}

// TestEarlyExitAgreesWithCountingAll compares the quick answer with a plain
// count over random clusters.
func TestEarlyExitAgreesWithCountingAll(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var nodes []*corev1.Node
		total := 0
		ask := 1 + random.IntN(8)
		for n := range random.IntN(12) {
			count := random.IntN(9)
			changes := []func(*corev1.Node){has("nvidia.com/gpu", fmt.Sprint(count))}
			if random.IntN(4) == 0 {
				changes = append(changes, cordoned)
			} else {
				total += count / ask
			}
			nodes = append(nodes, gpuNode(fmt.Sprint(n), changes...))
		}
		want := 1 + random.IntN(6)
		if got := NewIndex(nodes...).Fit(pod(gpus(fmt.Sprint(ask))), want); (got.Fit >= want) != (total >= want) || (total < want && got.Fit != total) {
			t.Fatalf("%d fit, want %d (asked for %d)", got.Fit, total, want)
		}
	}
}

func BenchmarkFit(b *testing.B) {
	for _, size := range []int{5, 5000} {
		i := NewIndex()
		for n := range size {
			node := gpuNode(fmt.Sprint(n), has("memory", fmt.Sprint(512<<20+n, "Ki")))
			if n%5 > 0 {
				delete(node.Status.Allocatable, "nvidia.com/gpu")
			}
			i.Upsert(node)
		}
		i.Fit(pod(nil), 1) // the first asks for the snapshot
		for name, p := range map[string]*corev1.PodTemplateSpec{"fits": pod(gpus("8")), "does-not-fit": pod(gpus("16"))} {
			b.Run(fmt.Sprintf("%s/nodes=%d", name, size), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					i.Fit(p, 1)
				}
			})
		}
	}
}
