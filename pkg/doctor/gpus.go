package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// How nodes and DaemonSets show that GPUs are there, and who advertises them.
const (
	gpuPrefix = "nvidia.com/"
	// presentLabel is what the GPU Operator's feature discovery puts on nodes.
	presentLabel = "nvidia.com/gpu.present"
	// driver is that of NVIDIA's DRA driver, in its DeviceClasses.
	driver = "gpu.nvidia.com"
)

// gpus tells which GPUs can be asked for, on how many nodes, and who says so.
func gpus(s *Snapshot) []Finding {
	if s.Nodes.Err != nil {
		return missing("list nodes", s.Nodes.Err)
	}
	supply := map[corev1.ResourceName]*supply{}
	idle, down := 0, 0 // nodes with a GPU that offers nothing, and those that take no pods
	for i := range s.Nodes.Value {
		n := &s.Nodes.Value[i]
		if !count(n, supply) && n.Labels[presentLabel] == "true" {
			idle++
		}
		if hasGPU(n) && (n.Spec.Unschedulable || !isReady(n)) {
			down++
		}
	}
	var all []Finding
	for _, name := range slices.Sorted(maps.Keys(supply)) {
		all = append(all, ok("%s: %d on %d of %d nodes, %d of them usable", name, supply[name].total, supply[name].nodes, len(s.Nodes.Value), supply[name].usable))
	}
	if down > 0 {
		all = append(all, warn("kubectl get nodes tells which; uncordon or repair them", "%d nodes with GPUs are cordoned or not ready", down))
	}
	if idle > 0 {
		all = append(all, fail("look at the device plugin's pods on these nodes, and at the driver", "%d nodes have a GPU by their labels, but offer none", idle))
	}
	return append(all, s.source(len(supply) > 0)...)
}

// supply is how much of a resource there is.
type supply struct{ total, usable, nodes int64 }

// count adds a node's GPUs, and tells whether it offers any.
func count(n *corev1.Node, all map[corev1.ResourceName]*supply) bool {
	found := false
	for name, quantity := range n.Status.Allocatable {
		if !strings.HasPrefix(string(name), gpuPrefix) || quantity.IsZero() {
			continue
		}
		found = true
		if all[name] == nil {
			all[name] = &supply{}
		}
		all[name].total += quantity.Value()
		all[name].nodes++
		if !n.Spec.Unschedulable && isReady(n) {
			all[name].usable += quantity.Value()
		}
	}
	return found
}

func hasGPU(n *corev1.Node) bool { return count(n, map[corev1.ResourceName]*supply{}) }

func isReady(n *corev1.Node) bool {
	return slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

// source tells who advertises GPUs: a device plugin, or a DRA driver.
func (s *Snapshot) source(there bool) []Finding {
	var by []string
	for _, c := range s.DeviceClasses.Value {
		if strings.HasSuffix(c.Name, driver) {
			by = append(by, "DeviceClass "+c.Name)
		}
	}
	for _, d := range s.DaemonSets.Value {
		if isDevicePlugin(d.Spec.Template.Spec.Containers) {
			by = append(by, fmt.Sprintf("DaemonSet %s/%s, %d of %d pods ready", d.Namespace, d.Name, d.Status.NumberReady, d.Status.DesiredNumberScheduled))
		}
	}
	slices.Sort(by)
	switch {
	case len(by) > 0:
		return []Finding{ok("advertised by %s", strings.Join(by, "; "))}
	case s.DaemonSets.Err != nil && !apierrors.IsNotFound(s.DaemonSets.Err):
		return append(s.without(there), missing("list daemonsets", s.DaemonSets.Err)...)
	case there:
		return []Finding{warn("", "no device plugin or DRA driver of NVIDIA's was found; something else advertises the GPUs")}
	}
	return s.without(there)
}

func (s *Snapshot) without(there bool) []Finding {
	if there {
		return nil
	}
	return []Finding{fail("install the NVIDIA GPU Operator, or the NVIDIA device plugin where the driver is on the nodes already",
		"none of %d nodes offers a GPU", len(s.Nodes.Value))}
}

func isDevicePlugin(containers []corev1.Container) bool {
	return slices.ContainsFunc(containers, func(c corev1.Container) bool {
		return strings.Contains(c.Image, "k8s-device-plugin") || strings.Contains(c.Image, "nvidia-gpu-device-plugin")
	})
}
