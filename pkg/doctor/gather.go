package doctor

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	nodev1 "k8s.io/api/node/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/taojob/taojob/pkg/job"
)

// Limits of Gather. A trial Job waits for webhooks, each up to 30 seconds.
const (
	answerLimit = 20 * time.Second
	trialLimit  = 70 * time.Second
	wholeLimit  = 2 * time.Minute
)

// errSilent is why a cluster is given up that has gone away without a word.
var errSilent = errors.New("no answer in time")

// question is one thing to ask of the cluster. Its answer goes into a fact of
// the snapshot; that fact's error is returned as well.
type question struct {
	what  string // as in "could not list nodes"
	limit time.Duration
	ask   func(context.Context, kubernetes.Interface, *Snapshot) error
}

// questions are in the order of asking: what is pointless after an earlier
// answer is not asked.
var questions = []question{
	{"read the version", answerLimit, askVersion},
	{"list nodes", answerLimit, func(ctx context.Context, c kubernetes.Interface, s *Snapshot) error {
		return items(&s.Nodes, func(l *corev1.NodeList) []corev1.Node { return l.Items })(c.CoreV1().Nodes().List(ctx, cached))
	}},
	{"list daemonsets", answerLimit, func(ctx context.Context, c kubernetes.Interface, s *Snapshot) error {
		return items(&s.DaemonSets, func(l *appsv1.DaemonSetList) []appsv1.DaemonSet { return l.Items })(c.AppsV1().DaemonSets(all).List(ctx, cached))
	}},
	{"list runtimeclasses", answerLimit, func(ctx context.Context, c kubernetes.Interface, s *Snapshot) error {
		return items(&s.RuntimeClasses, func(l *nodev1.RuntimeClassList) []nodev1.RuntimeClass { return l.Items })(c.NodeV1().RuntimeClasses().List(ctx, cached))
	}},
	{"list deviceclasses", answerLimit, func(ctx context.Context, c kubernetes.Interface, s *Snapshot) error {
		return items(&s.DeviceClasses, func(l *resourcev1.DeviceClassList) []resourcev1.DeviceClass { return l.Items })(c.ResourceV1().DeviceClasses().List(ctx, cached))
	}},
	{"list mutatingwebhookconfigurations", answerLimit, func(ctx context.Context, c kubernetes.Interface, s *Snapshot) error {
		return items(&s.Mutating, func(l *mutatingList) []mutating { return l.Items })(c.AdmissionregistrationV1().MutatingWebhookConfigurations().List(ctx, cached))
	}},
	{"list validatingwebhookconfigurations", answerLimit, func(ctx context.Context, c kubernetes.Interface, s *Snapshot) error {
		return items(&s.Validating, func(l *validatingList) []validating { return l.Items })(c.AdmissionregistrationV1().ValidatingWebhookConfigurations().List(ctx, cached))
	}},
	{"list endpointslices", answerLimit, func(ctx context.Context, c kubernetes.Interface, s *Snapshot) error {
		return items(&s.Slices, func(l *discoveryv1.EndpointSliceList) []discoveryv1.EndpointSlice { return l.Items })(c.DiscoveryV1().EndpointSlices(all).List(ctx, cached))
	}},
	{"list services", answerLimit, func(ctx context.Context, c kubernetes.Interface, s *Snapshot) error {
		return items(&s.Services, func(l *corev1.ServiceList) []corev1.Service { return l.Items })(c.CoreV1().Services(all).List(ctx, cached))
	}},
	{"list jobs", answerLimit, func(ctx context.Context, c kubernetes.Interface, s *Snapshot) error {
		ours := metav1.ListOptions{LabelSelector: job.Label, ResourceVersion: "0"}
		return items(&s.Jobs, func(l *batchv1.JobList) []batchv1.Job { return l.Items })(c.BatchV1().Jobs(all).List(ctx, ours))
	}},
	{"ask for the webhook's rights", answerLimit, askRights},
	{"get the namespace", answerLimit, func(ctx context.Context, c kubernetes.Interface, s *Snapshot) error {
		return s.Own.set(c.CoreV1().Namespaces().Get(ctx, s.Namespace, metav1.GetOptions{}))
	}},
	{"list resourcequotas", answerLimit, func(ctx context.Context, c kubernetes.Interface, s *Snapshot) error {
		return items(&s.Quotas, func(l *corev1.ResourceQuotaList) []corev1.ResourceQuota { return l.Items })(c.CoreV1().ResourceQuotas(s.Namespace).List(ctx, metav1.ListOptions{}))
	}},
	{"ask whether you may create Jobs", answerLimit, askMayCreate},
	{"try a good Job", trialLimit, func(ctx context.Context, c kubernetes.Interface, s *Snapshot) error {
		return s.try(ctx, c, &s.Good, goodJob())
	}},
	{"try a Job with a credential", trialLimit, func(ctx context.Context, c kubernetes.Interface, s *Snapshot) error {
		return s.try(ctx, c, &s.Bad, badJob())
	}},
}

// cached lets the API server answer from its cache.
var cached = metav1.ListOptions{ResourceVersion: "0"}

const all = metav1.NamespaceAll

// Gather asks the cluster for everything, and tells progress beforehand what it
// asks. It changes nothing: the trial Jobs are dry runs. A refusal is an error
// in its fact; a cluster that gives no answer, is none, or does not know us is
// one here, as is a context that has ended.
func Gather(ctx context.Context, client kubernetes.Interface, namespace string, progress func(what string)) (*Snapshot, error) {
	ctx, stop := context.WithTimeoutCause(ctx, wholeLimit, errSilent)
	defer stop()
	s := &Snapshot{Now: time.Now(), Namespace: namespace}
	for _, q := range questions {
		progress(q.what)
		if err := q.put(ctx, client, s); err != nil {
			return nil, fmt.Errorf("%s: %w", q.what, err)
		}
	}
	return s, nil
}

// put asks, and returns an error if there is no point in asking on.
func (q question) put(ctx context.Context, client kubernetes.Interface, s *Snapshot) error {
	ctx, stop := context.WithTimeoutCause(ctx, q.limit, errSilent)
	defer stop()
	err := q.ask(ctx, client, s)
	switch cause := context.Cause(ctx); {
	case err == nil:
		return nil
	case cause != nil:
		return cause
	case apierrors.IsUnauthorized(err):
		return fmt.Errorf("the cluster does not accept your credentials: log in again, or name another context: %w", err)
	case answered(err):
		return nil // the fact keeps the reason
	}
	return err
}

// answered tells whether an error is what an API server said.
func answered(err error) bool {
	status := apierrors.APIStatus(nil)
	return errors.Is(err, errNotAsked) || errors.As(err, &status)
}

// set fills in an answer, and returns its error.
func (f *Fact[T]) set(value T, err error) error {
	if f.Err = err; err == nil {
		f.Value = value
	}
	return err
}

// items fills in what is in a list.
func items[L, T any](f *Fact[[]T], of func(L) []T) func(L, error) error {
	return func(list L, err error) error {
		if err != nil {
			return f.set(nil, err)
		}
		return f.set(of(list), nil)
	}
}

// askVersion is first, for it tells whether a Kubernetes API is there at all.
func askVersion(ctx context.Context, c kubernetes.Interface, s *Snapshot) error {
	err := s.Version.set(c.Discovery().ServerVersionWithContext(ctx))
	if foreign := err == nil && s.Version.Value.GitVersion == "" || isForeign(err); foreign && ctx.Err() == nil {
		return errors.New("what answers is no Kubernetes API server: look at the server's address in the kubeconfig")
	}
	return err
}

// isForeign tells whether an answer to /version is none of an API server's: it
// is not found, no Status, no TLS where that is wanted, or no JSON, which is
// all that fails behind the network.
func isForeign(err error) bool {
	network, plain := (*url.Error)(nil), tls.RecordHeaderError{}
	switch {
	case err == nil:
		return false
	case errors.As(err, &network):
		return errors.As(err, &plain)
	case answered(err):
		return apierrors.IsNotFound(err) || apierrors.IsUnexpectedServerError(err)
	}
	return true
}

func askMayCreate(ctx context.Context, c kubernetes.Interface, s *Snapshot) error {
	review, err := c.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{
		Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: s.Namespace, Verb: "create", Group: "batch", Resource: "jobs",
		}},
	}, metav1.CreateOptions{})
	if err != nil {
		return s.MayCreate.set(false, err)
	}
	return s.MayCreate.set(review.Status.Allowed, nil)
}

// try creates a Job as a dry run, if that is allowed and there is a namespace.
func (s *Snapshot) try(ctx context.Context, c kubernetes.Interface, f *Fact[*batchv1.Job], j *batchv1.Job) error {
	if !s.MayCreate.Value || s.homeless() {
		return f.set(nil, errNotAsked)
	}
	return f.set(c.BatchV1().Jobs(s.Namespace).Create(ctx, j, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}))
}

// homeless tells whether the namespace is known not to exist. Who may not get
// it learns that from the first trial.
func (s *Snapshot) homeless() bool {
	return isNoNamespace(s.Own.Err) || isNoNamespace(s.Good.Err)
}

func isNoNamespace(err error) bool {
	status := apierrors.APIStatus(nil)
	return apierrors.IsNotFound(err) && errors.As(err, &status) && status.Status().Details != nil && status.Status().Details.Kind == "namespaces"
}
