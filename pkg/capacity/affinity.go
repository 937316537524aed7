package capacity

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// ownKind returns the topology keys of those terms that select the pod itself,
// and so its sisters.
func ownKind(template *corev1.PodTemplateSpec, terms []corev1.PodAffinityTerm) []string {
	var keys []string
	for i := range terms {
		if selectsItself(template, &terms[i]) {
			keys = append(keys, terms[i].TopologyKey)
		}
	}
	return keys
}

// selectsItself leaves terms about other namespaces out, and those that single
// pods of another kind out by a label of their own.
func selectsItself(template *corev1.PodTemplateSpec, term *corev1.PodAffinityTerm) bool {
	if len(term.MismatchLabelKeys) > 0 {
		return false
	}
	if len(term.Namespaces) > 0 && !slices.Contains(term.Namespaces, template.Namespace) {
		return false
	}
	selector, err := metav1.LabelSelectorAsSelector(term.LabelSelector)
	return err == nil && selector.Matches(labels.Set(template.Labels))
}

// tally counts pods that keep to, or away from, their own kind.
type tally struct {
	demand *demand
	total  int64
	taken  map[[2]string]bool  // key and value of domains that hold one already
	within map[[2]string]int64 // pods per domain that could be the common one
}

func newTally(d *demand) *tally {
	return &tally{demand: d, taken: map[[2]string]bool{}, within: map[[2]string]int64{}}
}

// add counts the pods that a node holds, given what was counted before.
func (t *tally) add(n *node, pods int64) {
	for _, key := range t.demand.apart {
		value, labelled := n.meta.Labels[key]
		if !labelled {
			continue // the scheduler keeps nothing apart on nodes without the label
		}
		if t.taken[[2]string{key, value}] {
			return
		}
		pods = min(pods, 1)
	}
	for _, key := range t.demand.apart {
		if value, labelled := n.meta.Labels[key]; labelled && pods > 0 {
			t.taken[[2]string{key, value}] = true
		}
	}
	if len(t.demand.together) == 0 {
		t.total += pods
		return
	}
	for _, key := range t.demand.together {
		value, labelled := n.meta.Labels[key]
		if !labelled {
			return // the scheduler places no such pod on a node without the label
		}
		domain := [2]string{key, value}
		t.within[domain] += pods
		t.total = max(t.total, t.within[domain])
	}
}
