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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrladmission "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

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

// planted are Jobs with credentials wherever a Job takes a text.
func planted() []jobtest.Planted { return append(jobtest.Plant(), jobtest.PlantAlone()...) }

func TestCanariesAreMany(t *testing.T) {
	count := 0
	for _, p := range planted() {
		count += len(p.Canaries)
		for _, c := range p.Canaries {
			if !c.Within("see " + c.Secret + " there") {
				t.Errorf("%s is not told", c.Format)
			}
		}
	}
	if count < 2000 {
		t.Errorf("%d canaries", count)
	}
}

func TestNoAnswerAndNoLogHoldsACredential(t *testing.T) {
	v := validator(t, gpuNodes(1)...)
	clean := jobtest.New("train").Defaulted().Obj()
	for _, p := range planted() {
		t.Run(p.Name, func(t *testing.T) {
			var written strings.Builder
			j := p.Defaulted().Obj()
			for _, tc := range []struct {
				hook *ctrladmission.Webhook
				req  ctrladmission.Request
			}{
				{mutator(t), request(t, admissionv1.Create, j, nil)},
				{mutator(t), request(t, admissionv1.Update, j, clean)},
				{v.JobWebhook(), request(t, admissionv1.Create, j, nil)},
				{v.JobWebhook(), request(t, admissionv1.Update, j, clean)},
				{v.JobWebhook(), request(t, admissionv1.Update, clean, j)},
				{v.CronJobWebhook(), request(t, admissionv1.Create, cronJob(j), nil)},
				{v.CronJobWebhook(), request(t, admissionv1.Update, cronJob(j), cronJob(clean))},
			} {
				resp := served(t, logTo(tc.hook, &written), tc.req)
				resp.Patch = nil // it is the object
				text, err := json.Marshal(resp.AdmissionResponse)
				if err != nil {
					t.Fatal(err)
				}
				for _, leak := range p.Leaked(string(text)) {
					t.Errorf("the response holds %s", leak)
				}
			}
			if !strings.Contains(written.String(), "wrote response") {
				t.Error("nothing was logged, so that nothing is proven")
			}
			for _, leak := range p.Leaked(written.String()) {
				t.Errorf("the log holds %s: %s", leak, written.String())
			}
		})
	}
	var all strings.Builder
	for name := range counters(t) {
		all.WriteString(name + "\n")
	}
	for _, p := range planted() {
		for _, leak := range p.Leaked(all.String()) {
			t.Errorf("the metrics hold %s", leak)
		}
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
