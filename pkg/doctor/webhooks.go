package doctor

import (
	"fmt"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/taojob/taojob/pkg/job"
)

// suffix ends the names of our webhooks.
const suffix = ".tao.nvidia.com"

const installFix = "install taojob: helm upgrade --install taojob charts/taojob -n taojob-system --create-namespace"

// hook is what both kinds of webhooks have in common.
type hook struct {
	name     string
	mutating bool
	client   admissionv1.WebhookClientConfig
	policy   *admissionv1.FailurePolicyType
	selector *metav1.LabelSelector // of objects
	spaces   *metav1.LabelSelector // of namespaces
}

// hooks are ours, of both kinds.
func (s *Snapshot) hooks() []hook {
	var all []hook
	for _, c := range s.Mutating.Value {
		for _, w := range c.Webhooks {
			if strings.HasSuffix(w.Name, suffix) {
				all = append(all, hook{w.Name, true, w.ClientConfig, w.FailurePolicy, w.ObjectSelector, w.NamespaceSelector})
			}
		}
	}
	for _, c := range s.Validating.Value {
		for _, w := range c.Webhooks {
			if strings.HasSuffix(w.Name, suffix) {
				all = append(all, hook{w.Name, false, w.ClientConfig, w.FailurePolicy, w.ObjectSelector, w.NamespaceSelector})
			}
		}
	}
	return all
}

// registration tells whether the API server asks the webhooks, and about what.
func registration(s *Snapshot) []Finding {
	if s.Mutating.Err != nil {
		return missing("list mutatingwebhookconfigurations", s.Mutating.Err)
	}
	if s.Validating.Err != nil {
		return missing("list validatingwebhookconfigurations", s.Validating.Err)
	}
	var all []Finding
	changing, judging := 0, 0
	for _, h := range s.hooks() {
		if h.mutating {
			changing++
		} else {
			judging++
		}
		all = append(all, h.findings()...)
	}
	switch {
	case changing == 0:
		return append(all, fail(installFix, "the mutating webhook is not registered: Jobs run as they are written"))
	case judging == 0:
		return append(all, fail(installFix, "the validating webhook is not registered: nothing is refused"))
	case changing > 1:
		all = append(all, fail("uninstall all but one", "the mutating webhook is registered %d times", changing))
	}
	return append(all, ok("%d webhooks are registered", changing+judging))
}

func (h hook) findings() []Finding {
	courtesy := strings.Contains(h.name, "cronjob") // it never counts
	var all []Finding
	if h.policy != nil && *h.policy == admissionv1.Ignore && !courtesy {
		all = append(all, warn("set webhooks.failurePolicy to Fail in the chart's values",
			"%s is passed over while it does not answer: such a Job's nodes train alone", h.name))
	}
	if !courtesy && !asksForLabel(h.selector) {
		all = append(all, warn("select objects that have the label "+job.Label,
			"%s is asked about Jobs that are not labelled as well, and holds them up when it is down", h.name))
	}
	return all
}

func asksForLabel(s *metav1.LabelSelector) bool {
	if s == nil {
		return false
	}
	for _, e := range s.MatchExpressions {
		if e.Key == job.Label {
			return true
		}
	}
	_, there := s.MatchLabels[job.Label]
	return there
}

// replicas tells how many pods stand behind the webhooks' Service.
func replicas(s *Snapshot) []Finding {
	service := s.service()
	if service == nil {
		return nil // not registered, or by an address
	}
	if s.Slices.Err != nil {
		return missing("list endpointslices", s.Slices.Err)
	}
	switch ready := s.ready(service.Namespace, service.Name); ready {
	case 0:
		return []Finding{fail(fmt.Sprintf("kubectl -n %s get pods, and look at their events and logs", service.Namespace),
			"no pod is ready behind the Service %s/%s: labelled Jobs are refused", service.Namespace, service.Name)}
	case 1:
		return []Finding{warn("set replicaCount to 2 or more", "one pod is ready: while it restarts, labelled Jobs are refused")}
	default:
		return []Finding{ok("%d pods are ready", ready)}
	}
}

// service is where the API server asks, nil if that is no Service.
func (s *Snapshot) service() *admissionv1.ServiceReference {
	for _, h := range s.hooks() {
		if h.client.Service != nil {
			return h.client.Service
		}
	}
	return nil
}

// ready counts the ready endpoints of a Service.
func (s *Snapshot) ready(ns, name string) int {
	n := 0
	for _, slice := range s.Slices.Value {
		if slice.Namespace != ns || slice.Labels[discoveryv1.LabelServiceName] != name {
			continue
		}
		for _, e := range slice.Endpoints {
			if e.Conditions.Ready == nil || *e.Conditions.Ready {
				n += len(e.Addresses)
			}
		}
	}
	return n
}

// certificate tells how long the authority is good that the API server trusts.
// The certificate itself is in a Secret, which nobody needs to read for this.
func certificate(s *Snapshot) []Finding {
	var all []Finding
	for _, h := range s.hooks() {
		left, err := life(h.client.CABundle, s.Now)
		switch {
		case err != nil:
			all = append(all, fail("wait for what makes the certificate: cert-manager's CA injector, or the webhook itself; kubectl describe certificate tells more",
				"%s: %v", h.name, err))
		case left <= 0:
			all = append(all, fail("renew the certificate and its authority", "%s: the authority has ended", h.name))
		case left < month:
			all = append(all, warn("renew the authority", "%s: the authority ends in %d days", h.name, int(left.Hours()/24)))
		}
	}
	if len(all) == 0 && len(s.hooks()) > 0 {
		left, _ := life(s.hooks()[0].client.CABundle, s.Now) // each was fine above
		all = append(all, ok("the authority is good for %d days", int(left.Hours()/24)))
	}
	return all
}

// dns tells whether names can be looked up in the cluster.
func dns(s *Snapshot) []Finding {
	if s.Slices.Err != nil {
		return missing("list endpointslices", s.Slices.Err)
	}
	if n := s.ready(metav1.NamespaceSystem, "kube-dns"); n > 0 {
		return []Finding{ok("%d servers answer for the Service kube-system/kube-dns", n)}
	}
	if s.Services.Err == nil && s.find(metav1.NamespaceSystem, "kube-dns") == nil {
		return []Finding{{Status: Unknown, Message: "there is no Service kube-system/kube-dns; the cluster's DNS is somewhere else",
			Fix: "make sure that pods can look up headless Services"}}
	}
	return []Finding{fail("kubectl -n kube-system get pods -l k8s-app=kube-dns", "no server answers for kube-system/kube-dns: the nodes of a Job do not find each other")}
}

func (s *Snapshot) find(ns, name string) *corev1.Service {
	for i := range s.Services.Value {
		if s.Services.Value[i].Namespace == ns && s.Services.Value[i].Name == name {
			return &s.Services.Value[i]
		}
	}
	return nil
}
