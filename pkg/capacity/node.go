package capacity

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// node is what placement needs of a Node.
type node struct {
	name string
	// object is the newest that says the same; its labels and taints count.
	object   atomic.Pointer[corev1.Node]
	notReady bool
	hurdles  int
	amounts  []request // allocatable, sorted by name
}

// request is an amount of a resource in the scheduler's units.
type request struct {
	name   corev1.ResourceName
	amount int64
}

func newNode(n *corev1.Node) *node {
	prepared := &node{name: n.Name, notReady: notReady(n), amounts: make([]request, 0, len(n.Status.Allocatable))}
	prepared.hurdles = hurdles(n)
	prepared.object.Store(n)
	for name, quantity := range n.Status.Allocatable {
		prepared.amounts = append(prepared.amounts, request{name, amount(name, quantity)})
	}
	slices.SortFunc(prepared.amounts, func(a, b request) int { return cmp.Compare(a.name, b.name) })
	return prepared
}

// says tells whether the node is known to be as in n.
func (known *node) says(n *corev1.Node) bool {
	was := known.object.Load()
	if was == n {
		return true
	}
	return known.notReady == notReady(n) && known.offers(n.Status.Allocatable) &&
		was.Spec.Unschedulable == n.Spec.Unschedulable &&
		slices.EqualFunc(was.Spec.Taints, n.Spec.Taints, sameTaint) && maps.Equal(was.Labels, n.Labels)
}

func (known *node) offers(allocatable corev1.ResourceList) bool {
	if len(allocatable) != len(known.amounts) {
		return false
	}
	for _, a := range known.amounts {
		if quantity, ok := allocatable[a.name]; !ok || amount(a.name, quantity) != a.amount {
			return false
		}
	}
	return true
}

// amount returns how much the node has of a resource, and whether it names it.
func (known *node) amount(name corev1.ResourceName) (int64, bool) {
	for i := range known.amounts {
		if known.amounts[i].name == name {
			return known.amounts[i].amount, true
		}
	}
	return 0, false
}

func (known *node) has(name corev1.ResourceName) int64 {
	has, _ := known.amount(name)
	return has
}

// sameTaint looks at what can be tolerated; since when it is there cannot.
func sameTaint(a, b corev1.Taint) bool {
	return a.Key == b.Key && a.Value == b.Value && a.Effect == b.Effect
}

// notReady takes a node without conditions, as people write them by hand, for
// a ready one; a real one has them from its first moment.
func notReady(n *corev1.Node) bool {
	for i := range n.Status.Conditions {
		if c := &n.Status.Conditions[i]; c.Type == corev1.NodeReady {
			return c.Status != corev1.ConditionTrue
		}
	}
	return false
}

// hurdles grows with the pods that a node refuses, whatever they ask for.
func hurdles(n *corev1.Node) int {
	switch {
	case n.Spec.Unschedulable || notReady(n):
		return 2
	case slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return keepsAway(&t) }):
		return 1
	}
	return 0
}

// before orders nodes by how likely they are to take a pod.
func before(a, b *node) int {
	return cmp.Or(cmp.Compare(a.hurdles, b.hurdles), cmp.Compare(a.name, b.name))
}

// byAmount orders nodes by what they have of a resource, most first.
func byAmount(name corev1.ResourceName) func(a, b *node) int {
	return func(a, b *node) int {
		return cmp.Or(cmp.Compare(b.has(name), a.has(name)), before(a, b))
	}
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
