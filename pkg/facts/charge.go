package facts

import (
	"maps"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	helpers "k8s.io/component-helpers/resource"

	"github.com/taojob/taojob/pkg/capacity"
	"github.com/taojob/taojob/pkg/validate"
)

// charge is a pod as ResourceQuotas count it.
type charge struct {
	pod              *corev1.Pod
	requests, limits corev1.ResourceList
}

// charged returns what a pod of j is charged for, once the API server has
// completed it. Without known LimitRanges it is what the author wrote, and
// completed is false.
func (c *Cluster) charged(j *batchv1.Job) (_ *charge, completed bool) {
	pod := &corev1.Pod{Spec: capacity.Completed(&j.Spec.Template.Spec)}
	if c.LimitRanges != nil {
		var ranges []*corev1.LimitRange
		ranges, completed = c.LimitRanges(j.Namespace)
		for _, r := range ranges {
			apply(r, &pod.Spec)
		}
	}
	return &charge{
		pod:      pod,
		requests: helpers.PodRequests(pod, helpers.PodResourcesOptions{}),
		limits:   helpers.PodLimits(pod, helpers.PodResourcesOptions{}),
	}, completed
}

// apply gives the containers the defaults of a LimitRange.
func apply(r *corev1.LimitRange, pod *corev1.PodSpec) {
	for i := range r.Spec.Limits {
		l := &r.Spec.Limits[i]
		if l.Type == corev1.LimitTypeContainer {
			pod.InitContainers, pod.Containers = filled(pod.InitContainers, l), filled(pod.Containers, l)
		}
	}
}

func filled(containers []corev1.Container, l *corev1.LimitRangeItem) []corev1.Container {
	all := slices.Clone(containers)
	for i := range all {
		r := &all[i].Resources
		r.Requests = merged(l.Default, l.DefaultRequest, r.Requests)
		r.Limits = merged(l.Default, r.Limits)
	}
	return all
}

// merged returns all of the lists; later ones win.
func merged(lists ...corev1.ResourceList) corev1.ResourceList {
	all := corev1.ResourceList{}
	for _, list := range lists {
		maps.Copy(all, list)
	}
	return all
}

// asks is how much of a resource, as quotas name it, one pod is charged for.
func (p *charge) asks(name corev1.ResourceName) resource.Quantity {
	switch name {
	case corev1.ResourcePods, "count/pods":
		return one
	}
	if limit, ok := strings.CutPrefix(string(name), "limits."); ok {
		return p.limits[corev1.ResourceName(limit)]
	}
	request, _ := strings.CutPrefix(string(name), corev1.DefaultResourceRequestsPrefix)
	return p.requests[corev1.ResourceName(request)]
}

// explicit are the resources of which, once a quota counts them, each container
// has to say how much it wants: for no others does the API server insist.
var explicit = []corev1.ResourceName{
	corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceRequestsCPU, corev1.ResourceRequestsMemory,
	corev1.ResourceLimitsCPU, corev1.ResourceLimitsMemory,
}

// lacks returns the containers that do not say how much they want of what b
// counts: the API server refuses such a pod, unless the pod as a whole says so.
func (p *charge) lacks(b *budget) []validate.LackingQuota {
	if helpers.IsPodLevelResourcesSet(p.pod) {
		return nil
	}
	var all []validate.LackingQuota
	for _, c := range slices.Concat(p.pod.Spec.InitContainers, p.pod.Spec.Containers) {
		own := charge{requests: c.Resources.Requests, limits: c.Resources.Limits}
		var resources []string
		for _, name := range explicit {
			if _, counted := b.hard[name]; counted && !own.names(name) {
				resources = append(resources, string(name))
			}
		}
		if len(resources) > 0 {
			all = append(all, validate.LackingQuota{Quota: b.quota, Container: c.Name, Resources: resources})
		}
	}
	return all
}

// names tells whether a resource, as quotas name it, is in the lists at all.
func (p *charge) names(name corev1.ResourceName) bool {
	list := p.requests
	bare, isLimit := strings.CutPrefix(string(name), "limits.")
	if isLimit {
		list = p.limits
	}
	_, ok := list[corev1.ResourceName(strings.TrimPrefix(bare, corev1.DefaultResourceRequestsPrefix))]
	return ok
}

// scoped tells whether q counts only some of the pods, and nothing else then.
func scoped(q *corev1.ResourceQuota) bool {
	return len(q.Spec.Scopes) > 0 || q.Spec.ScopeSelector != nil && len(q.Spec.ScopeSelector.MatchExpressions) > 0
}

// within tells whether the pod is in all scopes of q.
func (p *charge) within(q *corev1.ResourceQuota) bool {
	for _, scope := range q.Spec.Scopes {
		if !p.matches(&corev1.ScopedResourceSelectorRequirement{ScopeName: scope, Operator: corev1.ScopeSelectorOpExists}) {
			return false
		}
	}
	if q.Spec.ScopeSelector == nil {
		return true
	}
	for i := range q.Spec.ScopeSelector.MatchExpressions {
		if !p.matches(&q.Spec.ScopeSelector.MatchExpressions[i]) {
			return false
		}
	}
	return true
}

// matches tells whether the pod is in a scope; of those that are not about
// what a training pod has, it is in none.
func (p *charge) matches(r *corev1.ScopedResourceSelectorRequirement) bool {
	terminating := p.pod.Spec.ActiveDeadlineSeconds != nil
	switch r.ScopeName {
	case corev1.ResourceQuotaScopeTerminating:
		return terminating
	case corev1.ResourceQuotaScopeNotTerminating:
		return !terminating
	case corev1.ResourceQuotaScopeBestEffort:
		return p.bestEffort()
	case corev1.ResourceQuotaScopeNotBestEffort:
		return !p.bestEffort()
	case corev1.ResourceQuotaScopePriorityClass:
		return p.hasPriority(r)
	}
	return false
}

// bestEffort tells whether no container asks for CPU or memory.
func (p *charge) bestEffort() bool {
	for _, list := range []corev1.ResourceList{p.requests, p.limits} {
		if !list.Cpu().IsZero() || !list.Memory().IsZero() {
			return false
		}
	}
	return true
}

var operators = map[corev1.ScopeSelectorOperator]selection.Operator{
	corev1.ScopeSelectorOpIn: selection.In, corev1.ScopeSelectorOpNotIn: selection.NotIn,
	corev1.ScopeSelectorOpExists: selection.Exists, corev1.ScopeSelectorOpDoesNotExist: selection.DoesNotExist,
}

// hasPriority tells whether the pod's priority class is selected. That of a
// pod that names none is the cluster's business and taken for none.
func (p *charge) hasPriority(r *corev1.ScopedResourceSelectorRequirement) bool {
	selected, err := labels.NewRequirement(string(r.ScopeName), operators[r.Operator], r.Values)
	if err != nil { // the API server would not have taken it
		return false
	}
	class := labels.Set{}
	if p.pod.Spec.PriorityClassName != "" {
		class[string(r.ScopeName)] = p.pod.Spec.PriorityClassName
	}
	return selected.Matches(class)
}
