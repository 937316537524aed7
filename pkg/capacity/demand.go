package capacity

import (
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	scheduling "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

// demand is what one pod asks of a node, and of its sisters.
type demand struct {
	requests    []request
	text        string
	affinity    nodeaffinity.RequiredNodeAffinity
	labels      []labelled
	tolerations []corev1.Toleration
	nodeName    string
	hostPort    bool     // two of these pods collide on one node
	apart       []string // topology keys of required anti-affinity to its own kind
	together    []string // topology keys of required affinity to its own kind
	spread      []spread
	logger      klog.Logger
}

func newDemand(template *corev1.PodTemplateSpec) *demand {
	spec := &template.Spec
	pod := &corev1.Pod{Spec: corev1.PodSpec{NodeSelector: spec.NodeSelector, Affinity: spec.Affinity}}
	d := &demand{
		affinity:    nodeaffinity.GetRequiredNodeAffinity(pod),
		labels:      labelsOf(spec),
		tolerations: spec.Tolerations,
		nodeName:    spec.NodeName,
		hostPort:    takesHostPort(spec),
		logger:      klog.Background(),
	}
	d.requests, d.text = requestsOf(spec)
	if d.nodeName == "" { // else no scheduler asks where the pod's sisters are
		self := newKind(template)
		d.apart, d.together = self.apart(spec.Affinity), self.together(spec.Affinity)
		d.spread = self.spread(spec.TopologySpreadConstraints)
	}
	return d
}

// takesHostPort tells whether a container that lives as long as the pod takes
// a port of the node. On the host's network, each port is one.
func takesHostPort(spec *corev1.PodSpec) bool {
	takes := func(p corev1.ContainerPort) bool {
		return p.HostPort > 0 || (spec.HostNetwork && p.ContainerPort > 0)
	}
	for i := range spec.InitContainers {
		c := &spec.InitContainers[i]
		sidecar := c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
		if sidecar && slices.ContainsFunc(c.Ports, takes) {
			return true
		}
	}
	return slices.ContainsFunc(spec.Containers, func(c corev1.Container) bool { return slices.ContainsFunc(c.Ports, takes) })
}

// labelled is a label that a node must have, with one of these values.
type labelled struct {
	key    string
	values []string
}

// labelsOf returns what the node selector and a lone affinity term want of
// labels by equality. The affinity helper decides; this only spares asking it
// about the many nodes that plainly do not match.
func labelsOf(spec *corev1.PodSpec) []labelled {
	var all []labelled
	for key, value := range spec.NodeSelector {
		all = append(all, labelled{key, []string{value}})
	}
	a := spec.Affinity
	if a == nil || a.NodeAffinity == nil || a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return all
	}
	terms := a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	if len(terms) != 1 {
		return all
	}
	for _, e := range terms[0].MatchExpressions {
		if e.Operator == corev1.NodeSelectorOpIn {
			all = append(all, labelled{e.Key, e.Values})
		}
	}
	return all
}

// matches tells whether node selector and required affinity select a node.
func (d *demand) matches(n *corev1.Node) bool {
	for i := range d.labels {
		if value, ok := n.Labels[d.labels[i].key]; !ok || !slices.Contains(d.labels[i].values, value) {
			return false
		}
	}
	match, err := d.affinity.Match(n)
	return match && err == nil
}

// refuses says why a node cannot be eligible.
func (d *demand) refuses(known *node) refusal {
	n := known.object.Load()
	switch {
	case d.nodeName != "" && d.nodeName != known.name:
		return refusal{text: "not the node that nodeName asks for"}
	case known.notReady:
		return refusal{text: "not ready"}
	case d.nodeName == "" && n.Spec.Unschedulable && !d.tolerates(&unschedulable):
		return refusal{text: "unschedulable"}
	case !d.matches(n):
		return refusal{text: "node selector or affinity does not match"}
	}
	if t := d.repelledBy(n.Spec.Taints); t != nil {
		return refusal{text: "untolerated taint", taint: corev1.Taint{Key: t.Key, Value: t.Value, Effect: t.Effect}}
	}
	for _, key := range d.together {
		if _, ok := n.Labels[key]; !ok {
			return refusal{text: "no label " + shown(key) + ", which pod affinity needs"}
		}
	}
	for i := range d.spread {
		if _, ok := n.Labels[d.spread[i].key]; !ok {
			return refusal{text: "no label " + shown(d.spread[i].key) + ", which topology spread needs"}
		}
	}
	return refusal{}
}

// unschedulable is the taint by which a cordoned node is tolerated.
var unschedulable = corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}

// repelledBy returns the first taint that keeps the pod away, nil for none. A
// kubelet only looks at those that would evict the pod.
func (d *demand) repelledBy(taints []corev1.Taint) *corev1.Taint {
	for i := range taints {
		t := &taints[i]
		counts := keepsAway(t) && (d.nodeName == "" || t.Effect == corev1.TaintEffectNoExecute)
		if counts && !d.tolerates(t) {
			return t
		}
	}
	return nil
}

func (d *demand) tolerates(t *corev1.Taint) bool {
	return scheduling.TolerationsTolerateTaint(d.logger, d.tolerations, t, true)
}

// keepsAway selects the taints that the scheduler's filter looks at.
func keepsAway(t *corev1.Taint) bool {
	return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
}

// room is how many such pods an empty node holds by size, and the request that
// limits it most. A node that does not say how many pods it takes, as people
// write them by hand, is limited by the rest.
func (d *demand) room(n *node) (pods int64, limit request) {
	pods = math.MaxInt32
	for _, r := range d.requests {
		has, named := n.amount(r.name)
		if r.name == corev1.ResourcePods && !named {
			continue
		}
		if fit := has / r.amount; fit < pods {
			pods, limit = fit, r
		}
	}
	return pods, limit
}
