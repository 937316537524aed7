package capacity

import (
	"math"

	corev1 "k8s.io/api/core/v1"
)

// Result says how many pods fit.
type Result struct {
	// Want is the number asked for. Fit is how many of them could run at once,
	// Want at most.
	Want int `json:"want"`
	Fit  int `json:"fit"`
	// Eligible of Nodes may take such a pod as far as its size is not looked at:
	// ready, schedulable, matched, tolerated. It is complete only when Fit is
	// below Want; else it counts the nodes that were looked at and have room.
	Eligible int `json:"eligible"`
	Nodes    int `json:"nodes"`
	// Request is what each pod asks for, such as "nvidia.com/gpu: 8, cpu: 4".
	Request string `json:"request"`
	// Reasons say why nodes take no such pod, or no more of them, the most
	// frequent first; only when Fit is below Want.
	Reasons []Reason `json:"reasons,omitempty"`
}

// Reason is one cause for which a number of nodes take no such pod.
type Reason = struct {
	Nodes  int    `json:"nodes"`
	Reason string `json:"reason"`
}

// Fit says how many of want pods could run at once on the nodes if they were
// empty. It does not change the template, which need not be complete: limits
// without requests count as the API server would complete them. For pods that
// keep to or from their own kind, it must have the pods' namespace and the
// labels that the Job controller gives them (job-name and the like).
//
// It stops looking as soon as all pods have a place. Only when they have not
// does it look at every node, for the numbers in a refusal.
func (i *Index) Fit(template *corev1.PodTemplateSpec, want int) Result {
	known := i.snapshot()
	d := newDemand(template)
	r := Result{Want: want, Nodes: len(known.all), Request: d.text}
	if !r.tryFit(known.candidates(d), d) {
		r.explain(known.all, d)
	}
	return r
}

// tryFit counts until the pods have a place.
func (r *Result) tryFit(nodes []*node, d *demand) bool {
	t := newTally(d)
	for _, n := range nodes {
		if t.surely() >= int64(r.Want) {
			break
		}
		if pods, _ := d.room(n); pods > 0 && d.refuses(n).none() {
			r.Eligible++
			t.add(n.object.Load(), pods)
		}
	}
	r.Fit = r.atMost(t.surely())
	return r.Fit >= r.Want
}

// explain looks at every node, for the numbers in a refusal.
func (r *Result) explain(nodes []*node, d *demand) {
	r.Eligible = 0
	t, why := newTally(d), newReasons()
	for _, n := range nodes {
		t.see(n.object.Load())
		reason := d.refuses(n)
		if !reason.none() {
			why.refusals[reason]++
			continue
		}
		r.Eligible++
		pods, short := d.room(n)
		if pods == 0 {
			why.lacks(short, n.has(short.name))
			continue
		}
		t.add(n.object.Load(), pods)
	}
	if r.Fit = r.atMost(t.all()); r.Fit < r.Want {
		r.Reasons = frequent(append(why.list(), t.limits(int64(r.Want))...))
	}
}

func (r *Result) atMost(pods int64) int {
	return int(min(pods, int64(max(r.Want, 0)), math.MaxInt32))
}
