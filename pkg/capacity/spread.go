package capacity

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// spread is a topology spread constraint that must hold.
type spread struct {
	key        string
	skew       int64
	minDomains int
	anyNode    bool // domains of nodes that the pod does not select count, too
	noTaints   bool // domains of nodes whose taints it does not tolerate do not
	// counts tells that the constraint is about the Job's own pods. Else others
	// decide, and a node only needs the label.
	counts bool
}

// spread returns the constraints that the scheduler must keep.
func (k kind) spread(all []corev1.TopologySpreadConstraint) []spread {
	var hard []spread
	for i := range all {
		c := &all[i]
		if c.WhenUnsatisfiable != corev1.DoNotSchedule {
			continue
		}
		hard = append(hard, spread{
			key:        c.TopologyKey,
			skew:       int64(c.MaxSkew),
			minDomains: int(ptr.Deref(c.MinDomains, 1)),
			anyNode:    ptr.Deref(c.NodeAffinityPolicy, corev1.NodeInclusionPolicyHonor) == corev1.NodeInclusionPolicyIgnore,
			noTaints:   ptr.Deref(c.NodeTaintsPolicy, corev1.NodeInclusionPolicyIgnore) == corev1.NodeInclusionPolicyHonor,
			counts:     k.isOnlyKind(c.LabelSelector, c.MatchLabelKeys),
		})
	}
	return hard
}

// spreading counts room per domain. Pods are placed evenly until the domain
// with the least room is full; then each other one takes skew more.
type spreading struct {
	*spread
	room map[string]int64
	low  int64 // what fits even if some domain has no room
}

// see counts a node's domain, though it may have no room.
func (s *spreading) see(n *corev1.Node, d *demand) {
	for i := range d.spread {
		if _, ok := n.Labels[d.spread[i].key]; !ok {
			return
		}
	}
	if (!s.anyNode && !d.matches(n)) || (s.noTaints && d.repelledBy(n.Spec.Taints) != nil) {
		return
	}
	s.room[n.Labels[s.key]] += 0
}

func (s *spreading) add(n *corev1.Node, pods int64) {
	domain := n.Labels[s.key]
	had := s.room[domain]
	s.room[domain] = had + pods
	s.low += min(had+pods, s.skew) - min(had, s.skew)
}

// all is how many pods fit, once every node was seen.
func (s *spreading) all() int64 {
	if len(s.room) == 0 || len(s.room) < s.minDomains {
		return s.low
	}
	var least int64 = -1
	for _, room := range s.room {
		if least < 0 || room < least {
			least = room
		}
	}
	var all int64
	for _, room := range s.room {
		all += min(room, least+s.skew)
	}
	return all
}
