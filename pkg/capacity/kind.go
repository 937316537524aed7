package capacity

import (
	"maps"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// kind is what makes pods of one Job sisters, to selectors.
type kind struct {
	namespace string
	labels    labels.Set
}

func newKind(template *corev1.PodTemplateSpec) kind {
	return kind{namespace: template.Namespace, labels: template.Labels}
}

// ofTheJob are the labels by which the Job controller marks a Job's pods, and
// no others.
var ofTheJob = []string{batchv1.JobNameLabel, batchv1.ControllerUidLabel, "job-name", "controller-uid"}

// apart returns the topology keys of the anti-affinity terms that select the
// pod itself, and so its sisters.
func (k kind) apart(a *corev1.Affinity) []string {
	if a == nil || a.PodAntiAffinity == nil {
		return nil
	}
	var keys []string
	for i := range a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
		if t := &a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[i]; k.isSelectedBy(t) {
			keys = append(keys, t.TopologyKey)
		}
	}
	return keys
}

// together returns the topology keys of the affinity terms, if all select the
// pod itself. If one does not, its sisters are no company to the scheduler,
// and pods that are not known here decide.
func (k kind) together(a *corev1.Affinity) []string {
	if a == nil || a.PodAffinity == nil {
		return nil
	}
	var keys []string
	for i := range a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
		t := &a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution[i]
		if !k.isSelectedBy(t) {
			return nil
		}
		keys = append(keys, t.TopologyKey)
	}
	return keys
}

func (k kind) isSelectedBy(t *corev1.PodAffinityTerm) bool {
	if !k.isIn(t) || slices.ContainsFunc(t.MismatchLabelKeys, k.has) {
		return false
	}
	selector, err := metav1.LabelSelectorAsSelector(t.LabelSelector)
	return err == nil && selector.Matches(k.labels)
}

// isIn tells whether a term is about the pod's own namespace. Of a namespace's
// labels only the one is known that is its name.
func (k kind) isIn(t *corev1.PodAffinityTerm) bool {
	if len(t.Namespaces) == 0 && t.NamespaceSelector == nil {
		return true
	}
	if slices.Contains(t.Namespaces, k.namespace) {
		return true
	}
	selector, err := metav1.LabelSelectorAsSelector(t.NamespaceSelector)
	if err != nil {
		return false
	}
	requirements, _ := selector.Requirements()
	for _, r := range requirements {
		if r.Key() != corev1.LabelMetadataName {
			return false
		}
	}
	return selector.Matches(labels.Set{corev1.LabelMetadataName: k.namespace})
}

// has tells whether the pods have a label, counting those that the Job
// controller adds.
func (k kind) has(key string) bool {
	_, ok := k.labels[key]
	return ok || slices.Contains(ofTheJob, key)
}

// isOnlyKind tells whether a selector takes the pods of this Job and, by a
// label of the Job controller's, no others.
func (k kind) isOnlyKind(s *metav1.LabelSelector, alsoEqual []string) bool {
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil || !selector.Matches(k.labels) {
		return false
	}
	if slices.ContainsFunc(alsoEqual, func(key string) bool { return slices.Contains(ofTheJob, key) }) {
		return true
	}
	others := maps.Clone(k.labels)
	for _, key := range ofTheJob {
		delete(others, key)
	}
	return !selector.Matches(others)
}
