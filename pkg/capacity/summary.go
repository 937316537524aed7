package capacity

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/taojob/taojob/pkg/job"
)

// State is whether nodes take pods at all.
type State string

// The states of nodes, from the best to the worst.
const (
	Ready    State = "ready"
	Cordoned State = "cordoned"
	NotReady State = "not ready"
)

var states = []State{Ready, Cordoned, NotReady}

// Amount is how much of a resource there is.
type Amount struct {
	Resource string
	Count    int64
}

// Pool is a group of nodes in the same state that each have the same GPUs.
type Pool struct {
	State State
	Nodes int
	// GPUs are those of each node in all (allocatable), sorted by resource; nil
	// for nodes without.
	GPUs []Amount
}

// Pools sums the nodes up for people: GPUs of one kind after the other, nodes
// with most of them first, and those without at the end. It is nil when there
// are no nodes.
func (i *Index) Pools() []Pool {
	var pools []Pool
	at := map[string]int{}
	for _, n := range i.snapshot().all {
		p := Pool{State: n.state(), GPUs: n.gpus()}
		key := fmt.Sprint(p.State, p.GPUs)
		if _, known := at[key]; !known {
			at[key] = len(pools)
			pools = append(pools, p)
		}
		pools[at[key]].Nodes++
	}
	slices.SortFunc(pools, comparePools)
	return pools
}

func (known *node) state() State {
	switch {
	case known.notReady:
		return NotReady
	case known.object.Load().Spec.Unschedulable:
		return Cordoned
	}
	return Ready
}

func (known *node) gpus() []Amount {
	var gpus []Amount
	for _, a := range known.amounts {
		if job.IsGPU(a.name) && a.amount > 0 {
			gpus = append(gpus, Amount{string(a.name), a.amount})
		}
	}
	return gpus
}

func comparePools(a, b Pool) int {
	if c := cmp.Compare(min(len(b.GPUs), 1), min(len(a.GPUs), 1)); c != 0 {
		return c
	}
	return cmp.Or(slices.CompareFunc(a.GPUs, b.GPUs, compareAmounts),
		cmp.Compare(slices.Index(states, a.State), slices.Index(states, b.State)))
}

func compareAmounts(a, b Amount) int {
	return cmp.Or(strings.Compare(a.Resource, b.Resource), cmp.Compare(b.Count, a.Count))
}
