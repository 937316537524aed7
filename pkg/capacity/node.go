package capacity

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// node is what placement needs of a Node.
type node struct {
	meta          *corev1.Node // name and labels alone, for the affinity helpers
	taints        []corev1.Taint
	unschedulable bool
	notReady      bool
	allocatable   map[corev1.ResourceName]int64
}

func newNode(n *corev1.Node) *node {
	prepared := &node{
		meta:          &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.Labels}},
		taints:        n.Spec.Taints,
		unschedulable: n.Spec.Unschedulable,
		allocatable:   make(map[corev1.ResourceName]int64, len(n.Status.Allocatable)),
	}
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			prepared.notReady = c.Status != corev1.ConditionTrue
		}
	}
	for name, quantity := range n.Status.Allocatable {
		prepared.allocatable[name] = amount(name, quantity)
	}
	return prepared
}

// amount is a quantity in the scheduler's units: thousandths of a CPU, else
// bytes or pieces.
func amount(name corev1.ResourceName, q resource.Quantity) int64 {
	if name == corev1.ResourceCPU {
		return q.MilliValue()
	}
	return q.Value()
}

// extended tells whether a resource is one that only some nodes advertise,
// such as GPUs: those have a domain in their names.
func extended(name corev1.ResourceName) bool {
	return strings.Contains(string(name), "/")
}

// Strip removes from a node, in place, what Upsert does not look at, so that a
// cache of thousands of nodes stays small. It returns its argument.
func Strip(n *corev1.Node) *corev1.Node {
	n.ManagedFields, n.Annotations, n.OwnerReferences, n.Finalizers = nil, nil, nil, nil
	n.Spec = corev1.NodeSpec{Taints: n.Spec.Taints, Unschedulable: n.Spec.Unschedulable}
	status := corev1.NodeStatus{Allocatable: n.Status.Allocatable}
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			status.Conditions = []corev1.NodeCondition{{Type: c.Type, Status: c.Status}}
		}
	}
	n.Status = status
	return n
}
