package doctor

import (
	"context"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	nodev1 "k8s.io/api/node/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiversion "k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/kubernetes"

	"github.com/taojob/taojob/pkg/job"
)

// Shorter names for the configurations of webhooks.
type (
	mutating       = admissionv1.MutatingWebhookConfiguration
	mutatingList   = admissionv1.MutatingWebhookConfigurationList
	validating     = admissionv1.ValidatingWebhookConfiguration
	validatingList = admissionv1.ValidatingWebhookConfigurationList
)

// Snapshot is all that the checks look at. Secrets are not among it.
type Snapshot struct {
	Now       time.Time
	Namespace string // where trial Jobs go

	Version        Fact[*apiversion.Info]
	Nodes          Fact[[]corev1.Node]
	DaemonSets     Fact[[]appsv1.DaemonSet]
	RuntimeClasses Fact[[]nodev1.RuntimeClass]
	DeviceClasses  Fact[[]resourcev1.DeviceClass]
	Mutating       Fact[[]mutating]
	Validating     Fact[[]validating]
	Slices         Fact[[]discoveryv1.EndpointSlice] // of the whole cluster
	Services       Fact[[]corev1.Service]            // likewise
	Jobs           Fact[[]batchv1.Job]               // labelled ones of the whole cluster
	Own            Fact[*corev1.Namespace]
	Quotas         Fact[[]corev1.ResourceQuota] // of the namespace
	MayCreate      Fact[bool]                   // Jobs in the namespace
	Lacking        Fact[[]right]                // what the webhook's account may not do
	Good           Fact[*batchv1.Job]           // a trial Job as the cluster would have it
	Bad            Fact[*batchv1.Job]           // one with a credential; the error is what we hope for
}

// Gather asks the cluster for everything. It changes nothing: the trial Jobs
// are dry runs. What is not answered is an error in its fact; only a cluster
// that cannot be reached at all is one here.
func Gather(ctx context.Context, client kubernetes.Interface, namespace string) (*Snapshot, error) {
	s := &Snapshot{Now: time.Now(), Namespace: namespace}
	if s.Version.Value, s.Version.Err = client.Discovery().ServerVersion(); s.Version.Err != nil {
		return nil, s.Version.Err
	}
	cached := metav1.ListOptions{ResourceVersion: "0"} // the API server's cache will do
	admission, all := client.AdmissionregistrationV1(), metav1.NamespaceAll
	s.Nodes = fact(func(l *corev1.NodeList) []corev1.Node { return l.Items })(
		client.CoreV1().Nodes().List(ctx, cached))
	s.DaemonSets = fact(func(l *appsv1.DaemonSetList) []appsv1.DaemonSet { return l.Items })(
		client.AppsV1().DaemonSets(all).List(ctx, cached))
	s.RuntimeClasses = fact(func(l *nodev1.RuntimeClassList) []nodev1.RuntimeClass { return l.Items })(
		client.NodeV1().RuntimeClasses().List(ctx, cached))
	s.DeviceClasses = fact(func(l *resourcev1.DeviceClassList) []resourcev1.DeviceClass { return l.Items })(
		client.ResourceV1().DeviceClasses().List(ctx, cached))
	s.Mutating = fact(func(l *mutatingList) []mutating { return l.Items })(
		admission.MutatingWebhookConfigurations().List(ctx, cached))
	s.Validating = fact(func(l *validatingList) []validating { return l.Items })(
		admission.ValidatingWebhookConfigurations().List(ctx, cached))
	s.Slices = fact(func(l *discoveryv1.EndpointSliceList) []discoveryv1.EndpointSlice { return l.Items })(
		client.DiscoveryV1().EndpointSlices(all).List(ctx, cached))
	s.Services = fact(func(l *corev1.ServiceList) []corev1.Service { return l.Items })(
		client.CoreV1().Services(all).List(ctx, cached))
	s.Jobs = fact(func(l *batchv1.JobList) []batchv1.Job { return l.Items })(
		client.BatchV1().Jobs(all).List(ctx, metav1.ListOptions{LabelSelector: job.Label, ResourceVersion: "0"}))
	s.Lacking = lacking(ctx, client, s)
	s.own(ctx, client)
	return s, nil
}

// own asks about the namespace, and tries Jobs there.
func (s *Snapshot) own(ctx context.Context, client kubernetes.Interface) {
	s.Own.Value, s.Own.Err = client.CoreV1().Namespaces().Get(ctx, s.Namespace, metav1.GetOptions{})
	s.Quotas = fact(func(l *corev1.ResourceQuotaList) []corev1.ResourceQuota { return l.Items })(
		client.CoreV1().ResourceQuotas(s.Namespace).List(ctx, metav1.ListOptions{}))
	review, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{
		Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: s.Namespace, Verb: "create", Group: "batch", Resource: "jobs",
		}},
	}, metav1.CreateOptions{})
	if s.MayCreate.Err = err; err == nil {
		s.MayCreate.Value = review.Status.Allowed
	}
	s.Good.Err, s.Bad.Err = errNotAsked, errNotAsked
	if !s.MayCreate.Value {
		return
	}
	dryRun := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	jobs := client.BatchV1().Jobs(s.Namespace)
	s.Good.Value, s.Good.Err = jobs.Create(ctx, goodJob(), dryRun)
	s.Bad.Value, s.Bad.Err = jobs.Create(ctx, badJob(), dryRun)
}

// fact turns a list's answer into one about what is in it.
func fact[L, T any](of func(L) []T) func(L, error) Fact[[]T] {
	return func(list L, err error) Fact[[]T] {
		if err != nil {
			return Fact[[]T]{Err: err}
		}
		return Fact[[]T]{Value: of(list)}
	}
}
