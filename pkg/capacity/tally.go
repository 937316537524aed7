package capacity

import (
	"math"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// tally counts pods that heed where their sisters are.
type tally struct {
	demand *demand
	bySize int64 // what nodes hold if sisters did not matter
	nodes  int64
	// groups are the pods of each domain that could be the common one; if none
	// is needed, all are in one group.
	groups map[string]*group
	whole  *group
	most   int64
	spread []*spreading
}

func newTally(d *demand) *tally {
	t := &tally{demand: d}
	if len(d.together) == 0 {
		t.whole = newGroup(d)
	} else {
		t.groups = map[string]*group{}
	}
	for i := range d.spread {
		if d.spread[i].counts {
			t.spread = append(t.spread, &spreading{spread: &d.spread[i], room: map[string]int64{}})
		}
	}
	return t
}

// see takes notice of a node, whether it takes pods or not.
func (t *tally) see(n *corev1.Node) {
	for _, s := range t.spread {
		s.see(n, t.demand)
	}
}

// add counts the pods that a node has room for, given what was counted before.
func (t *tally) add(n *corev1.Node, pods int64) {
	t.nodes++
	t.bySize += pods
	if t.demand.hostPort {
		pods = min(pods, 1)
	}
	for _, key := range t.demand.apart {
		if _, ok := n.Labels[key]; ok {
			pods = min(pods, 1)
		}
	}
	g := t.group(n)
	g.add(n, pods)
	t.most = max(t.most, g.size())
	for _, s := range t.spread {
		s.add(n, pods)
	}
}

func (t *tally) group(n *corev1.Node) *group {
	if t.whole != nil {
		return t.whole
	}
	values := make([]string, 0, len(t.demand.together))
	for _, key := range t.demand.together {
		values = append(values, n.Labels[key])
	}
	domain := strings.Join(values, "\x00") // which no label value has
	g := t.groups[domain]
	if g == nil {
		g = newGroup(t.demand)
		t.groups[domain] = g
	}
	return g
}

// surely is how many pods fit, whatever the nodes not added are like.
func (t *tally) surely() int64 {
	pods := t.most
	for _, s := range t.spread {
		pods = min(pods, s.low)
	}
	return pods
}

// all is how many pods fit, once every node was seen and added.
func (t *tally) all() int64 {
	pods := t.most
	for _, s := range t.spread {
		pods = min(pods, s.all())
	}
	return pods
}

// limits names the rules about sisters that leave too few places on nodes that
// would hold enough.
func (t *tally) limits(want int64) []Reason {
	if t.bySize < want {
		return nil
	}
	var texts []string
	if t.demand.hostPort && t.nodes < want {
		texts = append(texts, "one pod per node: host port")
	}
	for i, key := range t.demand.apart {
		if t.mostApart(i) < want {
			texts = append(texts, "one pod per "+key+": pod anti-affinity")
		}
	}
	if len(t.demand.together) > 0 && t.most < want {
		texts = append(texts, "all pods in one "+strings.Join(t.demand.together, " and ")+": pod affinity")
	}
	for _, s := range t.spread {
		if s.all() < want {
			texts = append(texts, "as many pods per "+s.key+" as elsewhere: topology spread")
		}
	}
	all := make([]Reason, 0, len(texts))
	for _, text := range texts {
		all = append(all, Reason{Nodes: int(t.nodes), Reason: text})
	}
	return all
}

func (t *tally) mostApart(i int) int64 {
	if t.whole != nil {
		return t.whole.apart[i].size()
	}
	var most int64
	for _, g := range t.groups {
		most = max(most, g.apart[i].size())
	}
	return most
}

// group counts pods that need not be anywhere else than each other.
type group struct {
	pods  int64
	apart []keptApart
}

// keptApart counts pods by one anti-affinity term: one per domain, and as many
// as there is room for on nodes without the label, which the scheduler passes.
type keptApart struct {
	key     string
	domains map[string]struct{}
	loose   int64
}

func newGroup(d *demand) *group {
	g := &group{}
	for _, key := range d.apart {
		g.apart = append(g.apart, keptApart{key: key, domains: map[string]struct{}{}})
	}
	return g
}

func (g *group) add(n *corev1.Node, pods int64) {
	g.pods += pods
	for i := range g.apart {
		a := &g.apart[i]
		if domain, ok := n.Labels[a.key]; ok {
			a.domains[domain] = struct{}{}
		} else {
			a.loose += pods
		}
	}
}

// size is exact for one term, and for several whose topologies are nested, as
// nodes are in zones; else it may be too high.
func (g *group) size() int64 {
	size := int64(math.MaxInt64)
	for i := range g.apart {
		size = min(size, g.apart[i].size())
	}
	return min(size, g.pods)
}

func (a *keptApart) size() int64 { return int64(len(a.domains)) + a.loose }
