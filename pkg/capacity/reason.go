package capacity

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// maxReasons are spelled out; the nodes of all others are summed up.
const maxReasons = 5

// refusal is why a node is not eligible; the zero value says that it is. It is
// put into words only when all nodes are counted.
type refusal struct {
	text  string
	taint corev1.Taint // the one that is not tolerated, since no time
}

func (r refusal) none() bool { return r.text == "" }

func (r refusal) String() string {
	if r.taint.Effect == "" {
		return r.text
	}
	return r.text + " " + r.taint.ToString()
}

// reasons count the nodes that take no such pod.
type reasons struct {
	refusals map[refusal]int
	// empty and small have none, or too little, of a resource.
	empty, small map[request]int
	most         map[request]int64 // what the largest of the small ones has
}

func newReasons() *reasons {
	return &reasons{
		refusals: map[refusal]int{},
		empty:    map[request]int{},
		small:    map[request]int{},
		most:     map[request]int64{},
	}
}

// lacks counts a node that has too little of what is asked for.
func (r *reasons) lacks(short request, has int64) {
	if has <= 0 {
		r.empty[short]++
		return
	}
	r.small[short]++
	r.most[short] = max(r.most[short], has)
}

func (r *reasons) list() []Reason {
	var all []Reason
	for what, nodes := range r.refusals {
		all = append(all, Reason{Nodes: nodes, Reason: what.String()})
	}
	for what, nodes := range r.empty {
		all = append(all, Reason{Nodes: nodes, Reason: "no " + shown(string(what.name))})
	}
	for what, nodes := range r.small {
		text := fmt.Sprintf("too little %s (%s at most, %s asked)", shown(string(what.name)), human(what.name, r.most[what]), human(what.name, what.amount))
		all = append(all, Reason{Nodes: nodes, Reason: text})
	}
	return all
}

// frequent sorts reasons, the most frequent first, and sums up the tail.
func frequent(all []Reason) []Reason {
	slices.SortFunc(all, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(b.Nodes, a.Nodes), cmp.Compare(a.Reason, b.Reason))
	})
	if len(all) <= maxReasons {
		return all
	}
	rest := 0
	for _, r := range all[maxReasons:] {
		rest += r.Nodes
	}
	return append(all[:maxReasons:maxReasons], Reason{Nodes: rest, Reason: "other"})
}
