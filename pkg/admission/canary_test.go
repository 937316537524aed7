package admission_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	admissionv1 "k8s.io/api/admission/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrladmission "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/job/jobtest"
)

// canary stands for a credential: no answer and no log may hold it.
const canary = "hf_CanaryThatNobodyMayEverSee0123456"

// logTo makes a webhook write everything there is to log.
func logTo(hook *ctrladmission.Webhook, w io.Writer) *ctrladmission.Webhook {
	handler := slog.NewJSONHandler(w, &slog.HandlerOptions{Level: slog.Level(math.MinInt)})
	hook.LogConstructor = func(logr.Logger, *ctrladmission.Request) logr.Logger { return logr.FromSlogHandler(handler) }
	return hook
}

// holdsNoCanary looks at all of a response but its patch, which is the object.
func holdsNoCanary(t *testing.T, resp ctrladmission.Response) {
	t.Helper()
	resp.Patch = nil
	text, err := json.Marshal(resp.AdmissionResponse)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), canary) {
		t.Errorf("the response holds a credential: %s", strings.ReplaceAll(string(text), canary, "<canary>"))
	}
}

// served sends a request as the API server does.
func served(t *testing.T, hook http.Handler, req ctrladmission.Request) ctrladmission.Response {
	t.Helper()
	review := admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"}, Request: &req.AdmissionRequest,
	}
	body, err := json.Marshal(review)
	if err != nil {
		t.Fatal(err)
	}
	sent := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
	sent.Header.Set("Content-Type", "application/json")
	got := httptest.NewRecorder()
	hook.ServeHTTP(got, sent)
	review = admissionv1.AdmissionReview{}
	if err := json.Unmarshal(got.Body.Bytes(), &review); err != nil || review.Response == nil || review.Response.UID != req.UID {
		t.Fatalf("the answer is %s: %v", got.Body, err)
	}
	return ctrladmission.Response{AdmissionResponse: *review.Response}
}

// leaky are Jobs with the canary wherever a Job takes text.
func leaky() map[string]jobtest.Job {
	bare := jobtest.New("train")
	return map[string]jobtest.Job{
		"env":        bare.Env("HF_TOKEN", canary),
		"args":       bare.Trainer(func(c *corev1.Container) { c.Args = []string{"--hf-token=" + canary} }),
		"annotation": bare.Annotate("note", "token="+canary),
		"pod annotation": bare.With(func(j *batchv1.Job) {
			j.Spec.Template.Annotations = map[string]string{"vault": canary}
		}),
		"our annotations": bare.Annotate(job.Nodes, canary).Annotate(job.ShmSize, canary).Annotate(job.ResultsDir, canary).
			Annotate(job.Inputs, canary).Annotate(job.Containers, canary).Annotate(job.CredentialsSecret, canary),
		"a port": bare.Env("MASTER_PORT", canary),
	}
}

func TestNoAnswerAndNoLogHoldsACredential(t *testing.T) {
	for name, in := range leaky() {
		t.Run(name, func(t *testing.T) {
			var written strings.Builder
			j, v := in.Defaulted().Obj(), validator(t, gpuNodes(1)...)
			clean := jobtest.New("train").Defaulted().Obj()
			refusals := 0
			for _, tc := range []struct {
				hook *ctrladmission.Webhook
				req  ctrladmission.Request
			}{
				{mutator(t), request(t, admissionv1.Create, j, nil)},
				{mutator(t), request(t, admissionv1.Update, j, clean)},
				{v.JobWebhook(), request(t, admissionv1.Create, j, nil)},
				{v.JobWebhook(), request(t, admissionv1.Update, j, clean)},
				{v.JobWebhook(), request(t, admissionv1.Update, j, j)},
				{v.CronJobWebhook(), request(t, admissionv1.Create, cronJob(j), nil)},
				{v.CronJobWebhook(), request(t, admissionv1.Update, cronJob(j), cronJob(clean))},
			} {
				resp := served(t, logTo(tc.hook, &written), tc.req)
				holdsNoCanary(t, resp)
				if !resp.Allowed {
					refusals++
				}
			}
			if refusals < 4 {
				t.Errorf("%d refusals: it was not looked at", refusals)
			}
			if !strings.Contains(written.String(), "wrote response") {
				t.Error("nothing was logged, so that nothing is proven")
			}
			if strings.Contains(written.String(), canary) {
				t.Errorf("the log holds a credential: %s", strings.ReplaceAll(written.String(), canary, "<canary>"))
			}
		})
	}
}

func cronJob(j *batchv1.Job) client.Object {
	return &batchv1.CronJob{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "CronJob"},
		ObjectMeta: metav1.ObjectMeta{Name: j.Name, Namespace: j.Namespace},
		Spec: batchv1.CronJobSpec{Schedule: "@daily", JobTemplate: batchv1.JobTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: j.Labels, Annotations: j.Annotations}, Spec: j.Spec,
		}},
	}
}
