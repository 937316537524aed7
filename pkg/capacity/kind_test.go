package capacity

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestFitHeedsSisters(t *testing.T) {
	a, b := gpuNode("a"), gpuNode("b")
	c, d := gpuNode("c", label("zone", "b")), gpuNode("d", label("zone", "b"))
	bare := gpuNode("bare", unlabelled("zone"))
	checkFits(t, map[string]fits{
		"pods that keep apart take a node each":                    {[]*corev1.Node{a, b}, pod(gpus("1"), apart(corev1.LabelHostname)), 3, 2},
		"or a zone each":                                           {[]*corev1.Node{a, b, c}, pod(gpus("1"), apart("zone")), 3, 2},
		"of nested topologies the wider one decides":               {[]*corev1.Node{a, b, c, d}, pod(gpus("1"), apart(corev1.LabelHostname, "zone")), 3, 2},
		"nodes without the label keep nothing apart":               {[]*corev1.Node{a}, pod(gpus("1"), apart("rack")), 3, 3},
		"and add to those that do":                                 {[]*corev1.Node{a, b, bare}, pod(gpus("4"), apart("zone")), 4, 3},
		"pods that stay together fit the best zone":                {[]*corev1.Node{a, c, d}, pod(gpus("8"), together("zone")), 3, 2},
		"nodes without the label hold none of those":               {[]*corev1.Node{a, b}, pod(gpus("8"), together("rack")), 1, 0},
		"two topologies to share are one domain":                   {[]*corev1.Node{gpuNode("a", label("rack", "1")), gpuNode("b", label("rack", "2"))}, pod(gpus("8"), together("zone", "rack")), 2, 1},
		"pods may stay in one zone and keep off each other's node": {[]*corev1.Node{a, b, c}, pod(gpus("1"), together("zone"), apart(corev1.LabelHostname)), 3, 2},
		"company of another kind is not for this to know":          {[]*corev1.Node{a, c}, pod(gpus("8"), together("zone"), alsoNear("cache")), 2, 2},
		"a host port is there once a node":                         {[]*corev1.Node{a, b}, pod(gpus("1"), hostPort), 3, 2},
		"on the host's network each port is one":                   {[]*corev1.Node{a, b}, pod(gpus("1"), hostNetwork(29500)), 3, 2},
		"but no port is none":                                      {[]*corev1.Node{a}, pod(gpus("1"), hostNetwork(0)), 3, 3},
		"an init container is gone before its port could collide":  {[]*corev1.Node{a}, pod(gpus("1"), initGPUs("0"), initPort), 3, 3},
		"a sidecar is not":                                         {[]*corev1.Node{a}, pod(gpus("1"), sidecarGPUs("0"), initPort), 3, 1},
		"a pinned pod is not kept from its sisters":                {[]*corev1.Node{a}, pod(gpus("1"), apart(corev1.LabelHostname), pinnedTo("a")), 3, 3},
	})
}

func TestFitKnowsItsOwnKind(t *testing.T) {
	nodes := []*corev1.Node{gpuNode("a")}
	for name, tc := range map[string]struct {
		change func(*corev1.PodAffinityTerm)
		apart  bool
	}{
		"the same labels are the same kind": {func(*corev1.PodAffinityTerm) {}, true},
		"other labels are not":              {func(t *corev1.PodAffinityTerm) { t.LabelSelector.MatchLabels["job-name"] = "other" }, false},
		"no selector selects nothing":       {func(t *corev1.PodAffinityTerm) { t.LabelSelector = nil }, false},
		"an empty one selects all":          {func(t *corev1.PodAffinityTerm) { t.LabelSelector = &metav1.LabelSelector{} }, true},
		"another namespace is not meant":    {func(t *corev1.PodAffinityTerm) { t.Namespaces = []string{"other"} }, false},
		"the own one among several is":      {func(t *corev1.PodAffinityTerm) { t.Namespaces = []string{"other", "ml"} }, true},
		"all namespaces include the own":    {func(t *corev1.PodAffinityTerm) { t.NamespaceSelector = &metav1.LabelSelector{} }, true},
		"also beside a list without it": {func(t *corev1.PodAffinityTerm) {
			t.Namespaces, t.NamespaceSelector = []string{"other"}, &metav1.LabelSelector{}
		}, true},
		"a namespace may be selected by name":      {func(t *corev1.PodAffinityTerm) { t.NamespaceSelector = named(corev1.LabelMetadataName, "ml") }, true},
		"its other labels are not known":           {func(t *corev1.PodAffinityTerm) { t.NamespaceSelector = named("team", "ml") }, false},
		"keys to match match sisters":              {func(t *corev1.PodAffinityTerm) { t.MatchLabelKeys = []string{"app"} }, true},
		"keys to differ in exclude them":           {func(t *corev1.PodAffinityTerm) { t.MismatchLabelKeys = []string{"app"} }, false},
		"so do those that the Job controller adds": {func(t *corev1.PodAffinityTerm) { t.MismatchLabelKeys = []string{"controller-uid"} }, false},
		"keys that the pods lack do nothing":       {func(t *corev1.PodAffinityTerm) { t.MismatchLabelKeys = []string{"team"} }, true},
	} {
		t.Run(name, func(t *testing.T) {
			got := NewIndex(nodes...).Fit(pod(gpus("1"), apart(corev1.LabelHostname), changed(tc.change)), 2)
			if (got.Fit == 1) != tc.apart {
				t.Errorf("%d of 2 fit one node", got.Fit)
			}
		})
	}
}

func named(key, value string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}
}

// alsoNear adds an affinity term about pods of another kind.
func alsoNear(app string) func(*corev1.PodTemplateSpec) {
	return func(p *corev1.PodTemplateSpec) {
		terms := &p.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		*terms = append(*terms, corev1.PodAffinityTerm{TopologyKey: "zone", LabelSelector: named("app", app)})
	}
}

func hostNetwork(port int32) func(*corev1.PodTemplateSpec) {
	return func(p *corev1.PodTemplateSpec) {
		p.Spec.HostNetwork = true
		p.Spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: port}}
	}
}

func initPort(p *corev1.PodTemplateSpec) {
	p.Spec.InitContainers[0].Ports = []corev1.ContainerPort{{ContainerPort: 80, HostPort: 80}}
}
