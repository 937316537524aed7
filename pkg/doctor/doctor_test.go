package doctor

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	nodev1 "k8s.io/api/node/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiversion "k8s.io/apimachinery/pkg/version"

	"github.com/taojob/taojob/pkg/job"
)

var now = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

var errForbidden = apierrors.NewForbidden(schema.GroupResource{Resource: "nodes"}, "", errors.New("no"))

var errNoNamespace = apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "vision")

// authority is a self-signed certificate in PEM that ends after some time.
func authority(t *testing.T, life time.Duration) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: now.AddDate(-20, 0, 0), NotAfter: now.Add(life)}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func gpuNode(name string, count string) corev1.Node {
	return corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{presentLabel: "true"}},
		Status: corev1.NodeStatus{
			Allocatable: corev1.ResourceList{"nvidia.com/gpu": resource.MustParse(count)},
			Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	}
}

func endpoints(ns, service string, ready ...bool) discoveryv1.EndpointSlice {
	s := discoveryv1.EndpointSlice{ObjectMeta: metav1.ObjectMeta{
		Namespace: ns, Labels: map[string]string{discoveryv1.LabelServiceName: service},
	}}
	for _, r := range ready {
		s.Endpoints = append(s.Endpoints, discoveryv1.Endpoint{Addresses: []string{"192.0.2.9"}, Conditions: discoveryv1.EndpointConditions{Ready: &r}})
	}
	return s
}

func twoNodes(name string) batchv1.Job {
	return batchv1.Job{ObjectMeta: metav1.ObjectMeta{
		Namespace: "vision", Name: name, Labels: map[string]string{job.Label: "true"}, Annotations: map[string]string{job.Nodes: "2"},
	}, Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "train"}}}}}}
}

// healthy is a cluster without any fault.
func healthy(t *testing.T) *Snapshot {
	t.Helper()
	fail := admissionv1.Fail
	where := admissionv1.WebhookClientConfig{
		Service:  &admissionv1.ServiceReference{Namespace: "taojob-system", Name: "taojob-webhook"},
		CABundle: authority(t, 3650*24*time.Hour),
	}
	selector := &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: job.Label, Operator: metav1.LabelSelectorOpExists}}}
	injected := goodJob()
	injected.Annotations = map[string]string{job.Injected: "x"}
	injected.Spec.Template.Spec.Containers[0].Env = make([]corev1.EnvVar, 7)
	return &Snapshot{
		Now: now, Namespace: "vision",
		Version: Fact[*apiversion.Info]{Value: &apiversion.Info{Major: "1", Minor: "37", GitVersion: "v1.37.2"}},
		Nodes:   Fact[[]corev1.Node]{Value: []corev1.Node{gpuNode("a", "8"), gpuNode("b", "8")}},
		DaemonSets: Fact[[]appsv1.DaemonSet]{Value: []appsv1.DaemonSet{{
			ObjectMeta: metav1.ObjectMeta{Namespace: "gpu-operator", Name: "nvidia-device-plugin"},
			Spec: appsv1.DaemonSetSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				Containers: []corev1.Container{{Image: "nvcr.io/nvidia/k8s-device-plugin:v0.17"}},
			}}},
			Status: appsv1.DaemonSetStatus{NumberReady: 2, DesiredNumberScheduled: 2},
		}}},
		Mutating: Fact[[]mutating]{Value: []mutating{{Webhooks: []admissionv1.MutatingWebhook{
			{Name: "inject.tao.nvidia.com", ClientConfig: where, FailurePolicy: &fail, ObjectSelector: selector},
		}}}},
		Validating: Fact[[]validating]{Value: []validating{{Webhooks: []admissionv1.ValidatingWebhook{
			{Name: "judge.tao.nvidia.com", ClientConfig: where, FailurePolicy: &fail, ObjectSelector: selector},
		}}}},
		Slices: Fact[[]discoveryv1.EndpointSlice]{Value: []discoveryv1.EndpointSlice{
			endpoints("taojob-system", "taojob-webhook", true, true), endpoints("kube-system", "kube-dns", true),
		}},
		Services: Fact[[]corev1.Service]{Value: []corev1.Service{
			{ObjectMeta: metav1.ObjectMeta{Namespace: "vision", Name: "run"}, Spec: corev1.ServiceSpec{ClusterIP: corev1.ClusterIPNone}},
		}},
		Jobs: Fact[[]batchv1.Job]{Value: []batchv1.Job{twoNodes("run")}},
		Own:  Fact[*corev1.Namespace]{Value: &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "vision"}}},
		Good: Fact[*batchv1.Job]{Value: injected},
		Bad:  Fact[*batchv1.Job]{Err: errors.New("denied the request: inline-credentials: …")},
	}
}

func TestAHealthyClusterHasNothingToFix(t *testing.T) {
	r := Examine(healthy(t))
	for _, f := range r.Findings {
		if f.Status != OK || f.Fix != "" {
			t.Errorf("%s: %s: %s", f.Check, f.Status, f.Message)
		}
	}
	if r.Failed() || len(r.Findings) < len(checks) {
		t.Errorf("%d findings of %d checks, failed: %v", len(r.Findings), len(checks), r.Failed())
	}
}

func TestFaultsAreFound(t *testing.T) {
	for reason, tc := range map[string]struct {
		upset  func(t *testing.T, s *Snapshot)
		check  string
		status Status
		says   string
	}{
		"a cluster that is too old": {func(_ *testing.T, s *Snapshot) { s.Version.Value.Minor = "27" }, "version", Warn, "1.27"},
		"a version of a cloud's is read": {func(_ *testing.T, s *Snapshot) {
			s.Version.Value.Minor, s.Version.Value.GitVersion = "33+", "v1.33.1-gke.1"
		}, "version", OK, "v1.33.1-gke.1"},
		"no GPUs at all": {func(_ *testing.T, s *Snapshot) {
			s.Nodes.Value, s.DaemonSets.Value = []corev1.Node{{}}, nil
		}, "gpus", Fail, "none of 1 nodes"},
		"a GPU that is not offered":          {func(_ *testing.T, s *Snapshot) { s.Nodes.Value[0].Status.Allocatable = nil }, "gpus", Fail, "1 nodes have a GPU by their labels"},
		"a cordoned node":                    {func(_ *testing.T, s *Snapshot) { s.Nodes.Value[1].Spec.Unschedulable = true }, "gpus", Warn, "1 nodes with GPUs are cordoned"},
		"GPUs of a source that is not known": {func(_ *testing.T, s *Snapshot) { s.DaemonSets.Value = nil }, "gpus", Warn, "no device plugin"},
		"a DRA driver is a source": {func(_ *testing.T, s *Snapshot) {
			s.DaemonSets.Value = nil
			s.DeviceClasses.Value = []resourcev1.DeviceClass{{ObjectMeta: metav1.ObjectMeta{Name: "gpu.nvidia.com"}}}
		}, "gpus", OK, "DeviceClass gpu.nvidia.com"},
		"nodes that may not be listed": {func(_ *testing.T, s *Snapshot) { s.Nodes.Err = errForbidden }, "gpus", Unknown, "you may not list nodes"},
		"a runtime that has to be named": {func(_ *testing.T, s *Snapshot) {
			s.RuntimeClasses.Value = []nodev1.RuntimeClass{{ObjectMeta: metav1.ObjectMeta{Name: "nvidia"}}}
		}, "runtime", Warn, `"nvidia"`},
		"no mutating webhook":   {func(_ *testing.T, s *Snapshot) { s.Mutating.Value = nil }, "webhooks", Fail, "mutating"},
		"no validating webhook": {func(_ *testing.T, s *Snapshot) { s.Validating.Value = nil }, "webhooks", Fail, "validating"},
		"two installations":     {func(_ *testing.T, s *Snapshot) { s.Mutating.Value = append(s.Mutating.Value, s.Mutating.Value...) }, "webhooks", Fail, "2 times"},
		"a webhook that is passed over": {func(_ *testing.T, s *Snapshot) {
			ignore := admissionv1.Ignore
			s.Mutating.Value[0].Webhooks[0].FailurePolicy = &ignore
		}, "webhooks", Warn, "passed over"},
		"a webhook that is asked about everything": {func(_ *testing.T, s *Snapshot) { s.Mutating.Value[0].Webhooks[0].ObjectSelector = nil }, "webhooks", Warn, "not labelled"},
		"no pod behind the webhooks": {func(_ *testing.T, s *Snapshot) {
			s.Slices.Value[0] = endpoints("taojob-system", "taojob-webhook", false)
		}, "replicas", Fail, "no pod is ready"},
		"a single pod": {func(_ *testing.T, s *Snapshot) {
			s.Slices.Value[0] = endpoints("taojob-system", "taojob-webhook", true)
		}, "replicas", Warn, "one pod"},
		"no authority":                  {func(_ *testing.T, s *Snapshot) { s.Mutating.Value[0].Webhooks[0].ClientConfig.CABundle = nil }, "certificate", Fail, "trusts nobody"},
		"an authority that is nonsense": {func(_ *testing.T, s *Snapshot) { s.Mutating.Value[0].Webhooks[0].ClientConfig.CABundle = []byte("x") }, "certificate", Fail, "not a certificate in PEM"},
		"an authority that has ended": {func(t *testing.T, s *Snapshot) {
			s.Mutating.Value[0].Webhooks[0].ClientConfig.CABundle = authority(t, -time.Hour)
		}, "certificate", Fail, "has ended"},
		"an authority that ends soon": {func(t *testing.T, s *Snapshot) {
			s.Mutating.Value[0].Webhooks[0].ClientConfig.CABundle = authority(t, 49*time.Hour)
		}, "certificate", Warn, "in 2 days"},
		"a webhook that does not answer": {func(_ *testing.T, s *Snapshot) {
			s.Good = Fact[*batchv1.Job]{Err: errors.New("failed calling webhook")}
		}, "injection", Fail, "failed calling webhook"},
		"a Job that gets nothing":           {func(_ *testing.T, s *Snapshot) { s.Good.Value = goodJob() }, "injection", Fail, "nothing injected"},
		"a namespace of others":             {func(_ *testing.T, s *Snapshot) { s.Good.Err = errNotAsked }, "injection", Unknown, "may not create Jobs in vision"},
		"a credential that is taken":        {func(_ *testing.T, s *Snapshot) { s.Bad = Fact[*batchv1.Job]{Value: badJob()} }, "refusal", Fail, "is taken"},
		"a refusal for another reason":      {func(_ *testing.T, s *Snapshot) { s.Bad.Err = errors.New("exceeded quota") }, "refusal", Unknown, "another reason"},
		"a role that lacks something":       {func(_ *testing.T, s *Snapshot) { s.Lacking.Value = []right{{"list", "batch", "jobs"}} }, "permissions", Fail, "may not list jobs.batch"},
		"rights that may not be asked for":  {func(_ *testing.T, s *Snapshot) { s.Lacking.Err = errForbidden }, "permissions", Unknown, "subjectaccessreviews"},
		"no DNS server":                     {func(_ *testing.T, s *Snapshot) { s.Slices.Value[1].Endpoints = nil; s.Services.Err = errForbidden }, "dns", Fail, "no server"},
		"DNS somewhere else":                {func(_ *testing.T, s *Snapshot) { s.Slices.Value[1].Endpoints = nil }, "dns", Unknown, "somewhere else"},
		"a running Job without its Service": {func(_ *testing.T, s *Snapshot) { s.Services.Value = nil }, "rendezvous", Fail, "vision/run has no Service run"},
		"a Service that is not headless":    {func(_ *testing.T, s *Snapshot) { s.Services.Value[0].Spec.ClusterIP = "10.0.0.5" }, "rendezvous", Fail, "not headless"},
		"a finished Job needs none": {func(_ *testing.T, s *Snapshot) {
			s.Services.Value = nil
			s.Jobs.Value[0].Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}
		}, "rendezvous", OK, "0 Jobs"},
		"a namespace that does not exist": {func(_ *testing.T, s *Snapshot) {
			s.Own.Err, s.Good, s.Bad.Err = errNoNamespace, Fact[*batchv1.Job]{Err: errNotAsked}, errNotAsked
		}, "namespace", Fail, "vision does not exist"},
		"one that only a trial shows": {func(_ *testing.T, s *Snapshot) {
			s.Own.Err, s.Good, s.Bad.Err = errForbidden, Fact[*batchv1.Job]{Err: errNoNamespace}, errNotAsked
		}, "namespace", Fail, "vision does not exist"},
		"a right to create Jobs that is not known": {func(_ *testing.T, s *Snapshot) {
			s.MayCreate.Err, s.Good.Err, s.Bad.Err = errForbidden, errNotAsked, errNotAsked
		}, "injection", Unknown, "selfsubjectaccessreviews"},
		"a strict namespace": {func(_ *testing.T, s *Snapshot) {
			s.Own.Value.Labels = map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}
		}, "namespace", Warn, "runs as root"},
		"a mesh": {func(_ *testing.T, s *Snapshot) { s.Own.Value.Labels = map[string]string{"istio-injection": "enabled"} }, "namespace", Warn, "sidecar"},
		"a used-up quota": {func(_ *testing.T, s *Snapshot) {
			list := corev1.ResourceList{"requests.nvidia.com/gpu": resource.MustParse("0")}
			s.Quotas.Value = []corev1.ResourceQuota{{ObjectMeta: metav1.ObjectMeta{Name: "gpus"}, Status: corev1.ResourceQuotaStatus{Hard: list}}}
		}, "namespace", Warn, "leaves no requests.nvidia.com/gpu"},
	} {
		t.Run(reason, func(t *testing.T) {
			s := healthy(t)
			tc.upset(t, s)
			r := Examine(s)
			for _, f := range r.Findings {
				if f.Check == tc.check && f.Status == tc.status && strings.Contains(f.Message, tc.says) {
					if needsFix := f.Status == Fail; needsFix && f.Fix == "" {
						t.Error("no fix is said")
					}
					return
				}
			}
			t.Errorf("no finding of %s is %s and says %q: %+v", tc.check, tc.status, tc.says, r.Findings)
		})
	}
}

func TestText(t *testing.T) {
	r := Report{Namespace: "vision", Findings: []Finding{
		{Check: "version", Status: OK, Message: "Kubernetes v1.37.2"},
		{Check: "gpus", Status: Fail, Message: "none of 1 nodes offers a GPU", Fix: "install the GPU Operator"},
	}}
	for reason, tc := range map[string]struct {
		format string
		colour bool
		want   string
	}{
		"people see signs": {"text", false, "✓ version      Kubernetes v1.37.2\n✗ gpus         none of 1 nodes offers a GPU\n" +
			"               fix: install the GPU Operator\n\n1 ok, 0 to look at, 1 to fix, 0 unknown\n"},
		"a terminal shows colours": {"text", true, "\x1b[32m✓\x1b[0m version      Kubernetes v1.37.2\n\x1b[31m✗\x1b[0m gpus         none of 1 nodes offers a GPU\n" +
			"               fix: install the GPU Operator\n\n1 ok, 0 to look at, 1 to fix, 0 unknown\n"},
		"programs get JSON": {"json", true, `{
  "namespace": "vision",
  "findings": [
    {
      "check": "version",
      "status": "ok",
      "message": "Kubernetes v1.37.2"
    },
    {
      "check": "gpus",
      "status": "fail",
      "message": "none of 1 nodes offers a GPU",
      "fix": "install the GPU Operator"
    }
  ]
}
`},
	} {
		t.Run(reason, func(t *testing.T) {
			write, err := Writer(tc.format)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := write(&out, r, tc.colour); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, out.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := Writer("xml"); err == nil || !strings.Contains(err.Error(), "json, text") {
		t.Errorf("an unknown format: %v", err)
	}
}
