// Package capacity answers one question: how many of these pods could ever run
// at once on these nodes?
//
// It counts on what nodes have in all (allocatable), not on what is free: a
// pod that does not fit on an empty cluster never starts. It asks what the
// scheduler's filters ask, through Kubernetes' own component-helpers: cordons,
// node selector and required node affinity, taints, all requested resources,
// pods per node, host ports, required affinity and anti-affinity of pods to
// their own kind, and hard topology spread. Nodes that are not ready do not
// count. A pod with spec.nodeName never meets the scheduler: it is judged by
// what its node's kubelet admits.
//
// Where a count cannot be exact it is too high, never too low, so that nothing
// is refused that could run: several anti-affinity terms whose topologies are
// not nested, or several rules at once that hold each other back.
//
// Left out, and so never a reason to refuse:
//   - pods that run already, whoever owns them, and whatever they repel;
//   - device claims (spec.resourceClaims), which have no number;
//   - volumes that are bound to a zone or a node, or limited per node;
//   - what a LimitRange or a RuntimeClass would add to the pods' requests;
//   - spread over labels that other Jobs' pods may have, too.
//
// Not known here, and so counted as absent: an extended resource that a
// DeviceClass offers (extendedResourceName) and no node's allocatable lists.
package capacity

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
)

// Index holds what is known of a cluster's nodes. All its methods may be
// called at once. Fit reads one moment's nodes that never change; only the
// first one after a change waits, for as long as copying some pointers takes.
type Index struct {
	mu      sync.Mutex
	byName  map[string]*node
	nodes   lists
	current atomic.Pointer[lists] // nil after a change, until somebody asks
}

// lists are nodes in the order in which to look at them.
type lists struct {
	all []*node
	// having lists, per extended resource, the nodes that have any of it, those
	// with most of it first: few have GPUs, and a pod that wants eight need look
	// at no others.
	having map[corev1.ResourceName][]*node
}

// NewIndex returns an Index of nodes; none is fine.
func NewIndex(nodes ...*corev1.Node) *Index {
	i := &Index{
		byName: make(map[string]*node, len(nodes)),
		nodes:  lists{having: map[corev1.ResourceName][]*node{}},
	}
	for _, n := range nodes {
		i.Upsert(n)
	}
	return i
}

// Upsert adds a node or replaces the one of its name. It keeps n, which must
// not change afterwards. A node that says nothing new, as in a heartbeat,
// disturbs no reader.
func (i *Index) Upsert(n *corev1.Node) {
	i.mu.Lock()
	defer i.mu.Unlock()
	was := i.byName[n.Name]
	if was != nil && was.says(n) {
		was.object.Store(n) // so that a cache's older object can go
		return
	}
	i.remove(was)
	added := newNode(n)
	i.byName[n.Name] = added
	i.nodes.all = insert(i.nodes.all, added, before)
	for _, a := range added.amounts {
		if extended(a.name) && a.amount > 0 {
			i.nodes.having[a.name] = insert(i.nodes.having[a.name], added, byAmount(a.name))
		}
	}
	i.current.Store(nil)
}

// Delete forgets a node; one that is not there is fine.
func (i *Index) Delete(name string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if was := i.byName[name]; was != nil {
		i.remove(was)
		delete(i.byName, name)
		i.current.Store(nil)
	}
}

// Len returns how many nodes there are.
func (i *Index) Len() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return len(i.byName)
}

// remove takes a node, or nil, out of the lists.
func (i *Index) remove(n *node) {
	if n == nil {
		return
	}
	i.nodes.all = without(i.nodes.all, n, before)
	for _, a := range n.amounts {
		if list, ok := i.nodes.having[a.name]; ok && a.amount > 0 {
			i.nodes.having[a.name] = without(list, n, byAmount(a.name))
		}
	}
}

// snapshot returns the lists as they are now, for good.
func (i *Index) snapshot() *lists {
	if s := i.current.Load(); s != nil {
		return s
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if s := i.current.Load(); s != nil {
		return s
	}
	s := &lists{all: slices.Clone(i.nodes.all), having: maps.Clone(i.nodes.having)}
	for name, list := range s.having {
		s.having[name] = slices.Clone(list)
	}
	i.current.Store(s)
	return s
}

// candidates are the only nodes that can take such a pod, as far as a look at
// the extended resource that it will find on the fewest nodes tells.
func (l *lists) candidates(d *demand) []*node {
	fewest := l.all
	for _, r := range d.requests {
		if !extended(r.name) {
			continue
		}
		enough := l.having[r.name]
		end, _ := slices.BinarySearchFunc(enough, r.amount, func(n *node, least int64) int {
			if n.has(r.name) >= least {
				return -1
			}
			return 1
		})
		if end < len(fewest) {
			fewest = enough[:end]
		}
	}
	return fewest
}

func insert(list []*node, n *node, order func(a, b *node) int) []*node {
	at, _ := slices.BinarySearchFunc(list, n, order)
	return slices.Insert(list, at, n)
}

func without(list []*node, n *node, order func(a, b *node) int) []*node {
	at, found := slices.BinarySearchFunc(list, n, order)
	if !found {
		return list
	}
	return slices.Delete(list, at, at+1)
}
