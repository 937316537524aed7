package doctor

import (
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	nodev1 "k8s.io/api/node/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apiversion "k8s.io/apimachinery/pkg/version"
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
