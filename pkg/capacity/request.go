package capacity

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiresource "k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/component-helpers/resource"
)

// requestsOf returns what one pod asks for: without zeros, extended resources
// first, one of the node's pods last; and the same as text.
func requestsOf(spec *corev1.PodSpec) ([]request, string) {
	list := resource.PodRequests(&corev1.Pod{Spec: Completed(spec)}, resource.PodResourcesOptions{})
	names := slices.SortedFunc(maps.Keys(list), extendedFirst)
	requests := make([]request, 0, len(names)+1)
	var text strings.Builder
	for _, name := range names {
		quantity := list[name]
		n := amount(name, quantity)
		if n <= 0 {
			continue
		}
		if len(requests) > 0 {
			text.WriteString(", ")
		}
		text.WriteString(shown(string(name)) + ": " + quantity.String())
		requests = append(requests, request{name, n})
	}
	if len(requests) == 0 {
		text.WriteString("no resources")
	}
	return append(requests, request{corev1.ResourcePods, 1}), text.String()
}

// Completed returns the spec as the API server completes a pod's: what has a
// limit and no request requests its limit. A Job's template is not completed.
func Completed(spec *corev1.PodSpec) corev1.PodSpec {
	pod := *spec
	pod.Containers = completeContainers(spec.Containers)
	pod.InitContainers = completeContainers(spec.InitContainers)
	if spec.Resources == nil {
		return pod
	}
	// A deep copy, since PodRequests adds overhead to these very quantities, and
	// those with fractions share their digits among shallow copies.
	whole := spec.Resources.DeepCopy()
	pod.Resources = whole
	if len(whole.Limits) == 0 {
		return pod
	}
	sum := resource.AggregateContainerRequests(&corev1.Pod{Spec: pod}, resource.PodResourcesOptions{})
	for name := range whole.Limits {
		if hugePages(name) { // of which a pod cannot have a limit beyond its request
			delete(sum, name)
		}
	}
	whole.Requests = complete(whole.Requests, sum)
	whole.Requests = complete(whole.Requests, whole.Limits)
	return pod
}

func completeContainers(containers []corev1.Container) []corev1.Container {
	if !slices.ContainsFunc(containers, incomplete) {
		return containers
	}
	all := slices.Clone(containers)
	for i := range all {
		r := &all[i].Resources
		r.Requests = complete(r.Requests, r.Limits)
	}
	return all
}

func incomplete(c corev1.Container) bool {
	for name := range c.Resources.Limits {
		if _, ok := c.Resources.Requests[name]; !ok {
			return true
		}
	}
	return false
}

// complete returns requests, and those of from that it has not.
func complete(requests, from corev1.ResourceList) corev1.ResourceList {
	if len(from) == 0 {
		return requests
	}
	all := maps.Clone(from)
	maps.Copy(all, requests)
	return all
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

func hugePages(name corev1.ResourceName) bool {
	return strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

// human renders an amount in the scheduler's units as a manifest would.
func human(name corev1.ResourceName, n int64) string {
	switch {
	case name == corev1.ResourceCPU:
		return apiresource.NewMilliQuantity(n, apiresource.DecimalSI).String()
	case name == corev1.ResourceMemory, name == corev1.ResourceEphemeralStorage, hugePages(name):
		return apiresource.NewQuantity(n, apiresource.BinarySI).String()
	}
	return strconv.FormatInt(n, 10)
}
