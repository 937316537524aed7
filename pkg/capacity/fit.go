package capacity

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// maxReasons are spelled out; the nodes of all others are summed up.
const maxReasons = 5

// Result says how many pods fit.
type Result struct {
	// Want is the number asked for. Fit is how many of them could run at once,
	// Want at most.
	Want int `json:"want"`
	Fit  int `json:"fit"`
	// Eligible of Nodes may take such a pod at all: ready, schedulable, matched,
	// tolerated. It is complete only when Fit is below Want.
	Eligible int `json:"eligible"`
	Nodes    int `json:"nodes"`
	// Request is what each pod asks for, such as "nvidia.com/gpu: 8, cpu: 4".
	Request string `json:"request"`
	// Reasons say why nodes take no such pod, the most frequent first; only when
	// Fit is below Want.
	Reasons []Reason `json:"reasons,omitempty"`
}

// Reason is one cause for which a number of nodes take no such pod.
type Reason = struct {
	Nodes  int    `json:"nodes"`
	Reason string `json:"reason"`
}

// Fit says how many of want pods could run at once on the nodes if they were
// empty. For terms of pod affinity the template must hold all labels that the
// pods will have, those of the Job controller included, and their namespace.
func (i *Index) Fit(template *corev1.PodTemplateSpec, want int) Result {
	nodes := i.snapshot()
	d := newDemand(template)
	r := Result{Want: want, Nodes: len(nodes.nodes), Request: d.text}
	if r.tryFit(nodes.candidates(d), d) {
		return r
	}
	r.explain(nodes.nodes, d)
	return r
}

// candidates are the nodes that have the scarcest extended resource asked for.
func (s *snapshot) candidates(d *demand) []*node {
	fewest := s.nodes
	for _, r := range d.requests {
		if extended(r.name) && len(s.having[r.name]) < len(fewest) {
			fewest = s.having[r.name]
		}
	}
	return fewest
}

// tryFit counts until the pods have a place.
func (r *Result) tryFit(nodes []*node, d *demand) bool {
	t := newTally(d)
	for _, n := range nodes {
		if pods, _ := d.room(n); pods > 0 && d.refuses(n) == "" {
			r.Eligible++
			t.add(n, pods)
			if t.total >= int64(r.Want) {
				break
			}
		}
	}
	r.Fit = int(min(t.total, int64(r.Want)))
	return r.Fit >= r.Want
}

// explain looks at every node again, for the numbers in a refusal.
func (r *Result) explain(nodes []*node, d *demand) {
	r.Eligible = 0
	why := map[string]int{}
	most := map[request]int64{}
	lacking := map[request]int{}
	for _, n := range nodes {
		if reason := d.refuses(n); reason != "" {
			why[reason]++
			continue
		}
		r.Eligible++
		if pods, short := d.room(n); pods == 0 {
			lacking[short]++
			most[short] = max(most[short], n.allocatable[short.name])
		}
	}
	for short, count := range lacking {
		why[tooLittle(short, most[short])] += count
	}
	r.Reasons = frequent(why)
}

func tooLittle(short request, most int64) string {
	if most == 0 {
		return "no " + string(short.name)
	}
	return fmt.Sprintf("too little %s (%s at most, %s asked)", short.name, human(short.name, most), human(short.name, short.amount))
}

// frequent sorts reasons, the most frequent first, and sums up the tail.
func frequent(why map[string]int) []Reason {
	var reasons []Reason
	for text, count := range why {
		reasons = append(reasons, Reason{Nodes: count, Reason: text})
	}
	slices.SortFunc(reasons, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(b.Nodes, a.Nodes), cmp.Compare(a.Reason, b.Reason))
	})
	if len(reasons) <= maxReasons {
		return reasons
	}
	rest := 0
	for _, r := range reasons[maxReasons:] {
		rest += r.Nodes
	}
	return append(reasons[:maxReasons], Reason{Nodes: rest, Reason: "other reasons"})
}
