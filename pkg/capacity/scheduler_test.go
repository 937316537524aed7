package capacity

import (
	"math/rand/v2"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// scheduler places pods one by one on the first node that takes them, as
// plainly as can be, for comparison.
type scheduler struct {
	nodes  []*corev1.Node
	pod    *corev1.PodTemplateSpec
	gpus   int64
	placed map[*corev1.Node]int64
}

// most is how many of want pods find a place, whichever node is first.
func (s *scheduler) most(want int) int {
	best := 0
	for _, first := range s.nodes {
		s.placed = map[*corev1.Node]int64{}
		count := 0
		if s.takes(first) {
			s.placed[first]++
			count++
		}
		for count > 0 && count < want && s.placeOne() {
			count++
		}
		best = max(best, count)
	}
	return min(best, want)
}

func (s *scheduler) placeOne() bool {
	for _, n := range s.nodes {
		if s.takes(n) {
			s.placed[n]++
			return true
		}
	}
	return false
}

func (s *scheduler) takes(n *corev1.Node) bool {
	free := n.Status.Allocatable.Name("nvidia.com/gpu", resource.DecimalSI).Value() - s.placed[n]*s.gpus
	if n.Spec.Unschedulable || n.Status.Conditions[0].Status != corev1.ConditionTrue || len(n.Spec.Taints) > 0 || free < s.gpus {
		return false
	}
	for key, value := range s.pod.Spec.NodeSelector {
		if n.Labels[key] != value {
			return false
		}
	}
	a := s.pod.Spec.Affinity
	if a != nil && a.PodAntiAffinity != nil {
		for _, term := range a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
			if value, ok := n.Labels[term.TopologyKey]; ok && s.sisters(term.TopologyKey, value) > 0 {
				return false
			}
		}
	}
	if a != nil && a.PodAffinity != nil {
		key := a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].TopologyKey
		value, ok := n.Labels[key]
		if !ok || (len(s.placed) > 0 && s.sisters(key, value) == 0) {
			return false
		}
	}
	return s.evenly(n)
}

func (s *scheduler) sisters(key, value string) (count int64) {
	for n, pods := range s.placed {
		if v, ok := n.Labels[key]; ok && v == value {
			count += pods
		}
	}
	return count
}

func (s *scheduler) evenly(n *corev1.Node) bool {
	for _, c := range s.pod.Spec.TopologySpreadConstraints {
		value, ok := n.Labels[c.TopologyKey]
		if !ok {
			return false
		}
		least := s.sisters(c.TopologyKey, value)
		for _, other := range s.nodes {
			selected := s.pod.Spec.NodeSelector["gpu"] == "" || other.Labels["gpu"] == s.pod.Spec.NodeSelector["gpu"]
			if v, ok := other.Labels[c.TopologyKey]; ok && selected {
				least = min(least, s.sisters(c.TopologyKey, v))
			}
		}
		if s.sisters(c.TopologyKey, value)+1-least > int64(c.MaxSkew) {
			return false
		}
	}
	return true
}

// randomNodes are of all sizes, some of them no use.
func randomNodes(random *rand.Rand) []*corev1.Node {
	var nodes []*corev1.Node
	for i := range random.IntN(12) {
		n := gpuNode(strconv.Itoa(i), label("zone", strconv.Itoa(random.IntN(3))), has("nvidia.com/gpu", strconv.Itoa(random.IntN(9))))
		switch random.IntN(10) {
		case 0:
			cordoned(n)
		case 1:
			status(corev1.ConditionUnknown)(n)
		case 2:
			taint("team", "x", corev1.TaintEffectNoSchedule)(n)
		case 3:
			unlabelled("zone")(n)
		case 4, 5, 6:
			label("gpu", "h100")(n)
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// TestFitAgreesWithPlacingOneByOne compares the count with placement, over
// random clusters and every kind of rule about sisters.
func TestFitAgreesWithPlacingOneByOne(t *testing.T) {
	rules := map[string][]func(*corev1.PodTemplateSpec){
		"no rule":                        {},
		"a selector":                     {selects("gpu", "h100")},
		"apart by node":                  {apart(corev1.LabelHostname)},
		"apart by zone":                  {apart("zone")},
		"apart by zone and node":         {apart("zone", corev1.LabelHostname)},
		"together in a zone":             {together("zone")},
		"together in a zone, not a node": {together("zone"), apart(corev1.LabelHostname)},
		"together on a node":             {together(corev1.LabelHostname)},
		"spread over zones":              {spreadOver("zone")},
		"spread over nodes, selected":    {spreadOver(corev1.LabelHostname), selects("gpu", "h100")},
	}
	for name, changes := range rules {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			for range 300 {
				s := &scheduler{nodes: randomNodes(random), gpus: 1 + random.Int64N(8)}
				s.pod = pod(gpus(strconv.FormatInt(s.gpus, 10)), changes...)
				want := 1 + random.IntN(8)
				if got := NewIndex(s.nodes...).Fit(s.pod, want); got.Fit != s.most(want) {
					t.Fatalf("%d are placed: %+v", s.most(want), got)
				}
			}
		})
	}
}
