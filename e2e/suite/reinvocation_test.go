package suite

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"encoding/pem"

	admissionv1 "k8s.io/api/admission/v1"
	registrationv1 "k8s.io/api/admissionregistration/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// TestAnotherInjectorRunsAfterOurs has a webhook that puts a sidecar before the
// training container. The API server then asks ours a second time, and sees by
// the sidecar's device that it does: nothing but a second pass tolerates that
// device's taint.
func TestAnotherInjectorRunsAfterOurs(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	registerSidecar(t, s.name)
	create := append(slices.Clone(create), "--output", "name")
	s.eventually("the API server asks the other webhook", func() error {
		dryRun := append(slices.Clone(create), "--dry-run=server", "--output", "jsonpath={.spec.template.spec.containers[*].name}")
		if got := s.do(manifest("try"), dryRun...); got != "sidecar train" {
			return fmt.Errorf("the containers are %s", got)
		}
		return nil
	})
	var edits []edit
	if !old() {
		edits = []edit{nodes("2")}
	}
	s.do(manifest("run", edits...), create...)
	j := s.job("run")
	pod := &j.Spec.Template.Spec
	if len(pod.Containers) != 2 || pod.Containers[0].Name != "sidecar" || pod.Containers[1].Name != "train" {
		t.Fatalf("the containers are %+v", pod.Containers)
	}
	checkEnv(t, &pod.Containers[0], map[string]string{})
	if old() {
		checkEnv(t, &pod.Containers[1], oneNode("run", 1))
	} else {
		checkEnv(t, &pod.Containers[1], twoNodes("run", 1))
		checkIndexed(t, j)
	}
	if len(pod.Containers[1].VolumeMounts) != 1 || len(pod.Containers[1].EnvFrom) != 1 || len(pod.Volumes) != 1 {
		t.Errorf("something was injected twice or never: %+v", pod)
	}
	var tolerated []string
	for _, toleration := range pod.Tolerations {
		tolerated = append(tolerated, toleration.Key)
	}
	slices.Sort(tolerated)
	if !slices.Equal(tolerated, []string{"nvidia.com/gpu", migSlice}) {
		t.Errorf("tolerated are %v: the webhook was not asked again", tolerated)
	}
}

// registerSidecar serves the other webhook, and has it asked about the Jobs of
// one namespace.
func registerSidecar(t *testing.T, namespace string) {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(sidecar))
	t.Cleanup(server.Close)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	configuration := &registrationv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "zz-sidecar"}, // asked in the order of the names
		Webhooks: []registrationv1.MutatingWebhook{{
			Name:                    "sidecar.example.com",
			ClientConfig:            registrationv1.WebhookClientConfig{URL: &server.URL, CABundle: ca},
			NamespaceSelector:       &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: namespace}},
			SideEffects:             ptr.To(registrationv1.SideEffectClassNone),
			AdmissionReviewVersions: []string{"v1"},
			Rules: []registrationv1.RuleWithOperations{{
				Operations: []registrationv1.OperationType{registrationv1.Create},
				Rule:       registrationv1.Rule{APIGroups: []string{"batch"}, APIVersions: []string{"v1"}, Resources: []string{"jobs"}},
			}},
		}},
	}
	api := plane.Client.AdmissionregistrationV1().MutatingWebhookConfigurations()
	if _, err := api.Create(t.Context(), configuration, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := api.Delete(context.Background(), configuration.Name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
}

// sidecar answers for the other webhook.
func sidecar(w http.ResponseWriter, r *http.Request) {
	review, err := reviewed(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(review) // the API server tells when it got nothing
}

func reviewed(body io.Reader) (*admissionv1.AdmissionReview, error) {
	review := &admissionv1.AdmissionReview{}
	if err := json.NewDecoder(body).Decode(review); err != nil {
		return nil, err
	}
	j := &batchv1.Job{}
	if err := json.Unmarshal(review.Request.Object.Raw, j); err != nil {
		return nil, err
	}
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
	if container(j).Name != "sidecar" {
		one := corev1.ResourceList{migSlice: resource.MustParse("1")}
		patch, err := json.Marshal([]map[string]any{{
			"op": "add", "path": "/spec/template/spec/containers/0",
			"value": corev1.Container{Name: "sidecar", Image: "sidecar", Resources: corev1.ResourceRequirements{Limits: one, Requests: one}},
		}})
		if err != nil {
			return nil, err
		}
		review.Response.Patch, review.Response.PatchType = patch, ptr.To(admissionv1.PatchTypeJSONPatch)
	}
	review.Request = nil
	return review, nil
}
