// Package capacity answers one question: how many of these pods could ever run
// at once on these nodes?
//
// It counts on what nodes have in all (allocatable), not on what is free: a
// pod that does not fit on an empty cluster never starts. It asks what the
// scheduler's filters ask (readiness, cordons, node selector and required
// affinity, taints, all requested resources, host ports, pods that keep away
// from or close to their own kind) through Kubernetes' own component-helpers.
//
// Left out, and so never a reason to refuse: topology spread constraints,
// volumes bound to a zone, and device claims, which have no number.
package capacity

import (
	"cmp"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
)

// Index holds what is known of a cluster's nodes. Readers never wait for a
// writer that only repeats what is known, as heartbeats do.
type Index struct {
	mu      sync.Mutex
	nodes   map[string]*node
	current atomic.Pointer[snapshot] // nil after a change, until somebody asks
}

// snapshot is an Index at one moment; it never changes.
type snapshot struct {
	nodes []*node // by name
	// having lists, per extended resource, the nodes that have any of it: few
	// have GPUs, and a pod that wants some need not look at the others.
	having map[corev1.ResourceName][]*node
}

// NewIndex returns an Index of nodes; none is fine.
func NewIndex(nodes ...*corev1.Node) *Index {
	i := &Index{nodes: make(map[string]*node, len(nodes))}
	for _, n := range nodes {
		i.Upsert(n)
	}
	return i
}

// Upsert adds a node or replaces the one of its name. It keeps references into
// n, which must not change afterwards.
func (i *Index) Upsert(n *corev1.Node) {
	prepared := newNode(n)
	i.mu.Lock()
	defer i.mu.Unlock()
	if was, ok := i.nodes[n.Name]; ok && reflect.DeepEqual(was, prepared) {
		return
	}
	i.nodes[n.Name] = prepared
	i.current.Store(nil)
}

// Delete forgets a node; one that is not there is fine.
func (i *Index) Delete(name string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.nodes, name)
	i.current.Store(nil)
}

// Len returns how many nodes there are.
func (i *Index) Len() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return len(i.nodes)
}

func (i *Index) snapshot() *snapshot {
	if s := i.current.Load(); s != nil {
		return s
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if s := i.current.Load(); s != nil {
		return s
	}
	s := &snapshot{nodes: make([]*node, 0, len(i.nodes)), having: map[corev1.ResourceName][]*node{}}
	for _, n := range i.nodes {
		s.nodes = append(s.nodes, n)
	}
	slices.SortFunc(s.nodes, func(a, b *node) int { return cmp.Compare(a.meta.Name, b.meta.Name) })
	for _, n := range s.nodes {
		for name, amount := range n.allocatable {
			if extended(name) && amount > 0 {
				s.having[name] = append(s.having[name], n)
			}
		}
	}
	i.current.Store(s)
	return s
}
