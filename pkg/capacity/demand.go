package capacity

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"
	scheduling "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

// demand is what one pod asks of a node.
type demand struct {
	requests    []request // without zeros, extended resources first
	text        string
	affinity    nodeaffinity.RequiredNodeAffinity
	tolerations []corev1.Toleration
	nodeName    string
	onePerNode  bool
	apart       []string // topology keys of required anti-affinity to its own kind
	together    []string // topology keys of required affinity to its own kind
}

// request is one resource in the scheduler's units.
type request struct {
	name   corev1.ResourceName
	amount int64
}

func newDemand(template *corev1.PodTemplateSpec) *demand {
	spec := &template.Spec
	pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: withRequests(spec)}
	list := resource.PodRequests(pod, resource.PodResourcesOptions{})
	d := &demand{
		text:        describe(list),
		affinity:    nodeaffinity.GetRequiredNodeAffinity(pod),
		tolerations: spec.Tolerations,
		nodeName:    spec.NodeName,
		onePerNode:  takesHostPort(spec),
	}
	for _, name := range slices.SortedFunc(maps.Keys(list), extendedFirst) {
		if n := amount(name, list[name]); n > 0 {
			d.requests = append(d.requests, request{name, n})
		}
	}
	d.requests = append(d.requests, request{corev1.ResourcePods, 1})
	if a := spec.Affinity; a != nil && a.PodAntiAffinity != nil {
		d.apart = ownKind(template, a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
	}
	if a := spec.Affinity; a != nil && a.PodAffinity != nil {
		d.together = ownKind(template, a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
	}
	return d
}

// withRequests returns the spec as the API server completes a pod's: what has
// a limit and no request requests its limit. A Job's template is not completed.
func withRequests(spec *corev1.PodSpec) corev1.PodSpec {
	completed := *spec
	completed.Containers = completeContainers(spec.Containers)
	completed.InitContainers = completeContainers(spec.InitContainers)
	if spec.Resources != nil && len(spec.Resources.Limits) > 0 {
		whole := *spec.Resources
		sum := resource.PodRequests(&corev1.Pod{Spec: completed}, resource.PodResourcesOptions{SkipPodLevelResources: true})
		whole.Requests = complete(whole.Requests, sum)
		whole.Requests = complete(whole.Requests, whole.Limits)
		completed.Resources = &whole
	}
	return completed
}

func completeContainers(containers []corev1.Container) []corev1.Container {
	completed := slices.Clone(containers)
	for i := range completed {
		r := &completed[i].Resources
		r.Requests = complete(r.Requests, r.Limits)
	}
	return completed
}

func complete(requests, from corev1.ResourceList) corev1.ResourceList {
	all := maps.Clone(from)
	if all == nil {
		return requests
	}
	maps.Copy(all, requests)
	return all
}

// takesHostPort tells whether two of these pods would collide on one node.
func takesHostPort(spec *corev1.PodSpec) bool {
	for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
		for _, p := range c.Ports {
			if p.HostPort > 0 || (spec.HostNetwork && p.ContainerPort > 0) {
				return true
			}
		}
	}
	return false
}

// describe renders requests for people.
func describe(list corev1.ResourceList) string {
	var parts []string
	for _, name := range slices.SortedFunc(maps.Keys(list), extendedFirst) {
		if quantity := list[name]; !quantity.IsZero() {
			parts = append(parts, fmt.Sprintf("%s: %s", name, quantity.String()))
		}
	}
	if len(parts) == 0 {
		return "no resources"
	}
	return strings.Join(parts, ", ")
}

// extendedFirst orders resources by what a cluster runs out of first.
func extendedFirst(a, b corev1.ResourceName) int {
	switch {
	case extended(a) && !extended(b):
		return -1
	case extended(b) && !extended(a):
		return 1
	}
	return cmp.Compare(a, b)
}

// refuses says why a node cannot be eligible, empty when it is.
func (d *demand) refuses(n *node) string {
	switch {
	case d.nodeName != "" && d.nodeName != n.meta.Name:
		return "is not the node that nodeName asks for"
	case n.notReady:
		return "not ready"
	case n.unschedulable && !d.tolerates(&unschedulable):
		return "cordoned"
	}
	if match, err := d.affinity.Match(n.meta); !match || err != nil {
		return "node selector or affinity does not match"
	}
	taint, untolerated := scheduling.FindMatchingUntoleratedTaint(klog.Background(), n.taints, d.tolerations, keepsAway, true)
	if untolerated {
		return "untolerated taint " + taint.ToString()
	}
	return ""
}

// unschedulable is the taint by which a cordoned node is tolerated.
var unschedulable = corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}

func (d *demand) tolerates(t *corev1.Taint) bool {
	return scheduling.TolerationsTolerateTaint(klog.Background(), d.tolerations, t, true)
}

// keepsAway selects the taints that the scheduler's filter looks at.
func keepsAway(t *corev1.Taint) bool {
	return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
}

// room is how many such pods an empty node holds, and the request that limits
// it most.
func (d *demand) room(n *node) (pods int64, limit request) {
	pods = math.MaxInt32
	for _, r := range d.requests {
		has, known := n.allocatable[r.name]
		if r.name == corev1.ResourcePods && !known {
			continue
		}
		if fit := has / r.amount; fit < pods {
			pods, limit = fit, r
		}
	}
	if d.onePerNode {
		pods = min(pods, 1)
	}
	return pods, limit
}
