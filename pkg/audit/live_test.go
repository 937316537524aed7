package audit

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/rendezvous"
	"github.com/taojob/taojob/pkg/validate"
	"github.com/taojob/taojob/policies"
)

// live is a labelled Job in namespace lab, with a variable of that value.
func live(name, value string) *batchv1.Job {
	j := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "lab", Name: name, Labels: map[string]string{job.Label: ""}}}
	j.Spec.Template.Spec.Containers = []corev1.Container{{Name: "tao", Env: []corev1.EnvVar{{Name: "A", Value: value}}}}
	return j
}

func TestLive(t *testing.T) {
	finished, other, elsewhere := live("finished", ""), live("other", ""), live("elsewhere", "")
	finished.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue}}
	other.Labels = nil
	elsewhere.Namespace = "prod"
	cron := &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Namespace: "lab", Name: "weekly"}}
	unlabelled := cron.DeepCopy()
	unlabelled.Name = "unlabelled"
	cron.Spec.JobTemplate.Labels = map[string]string{job.Label: ""}
	client := fake.NewClientset(live("a", ""), finished, other, elsewhere, cron, unlabelled)
	for name, tc := range map[string]struct {
		namespace string
		finished  bool
		want      []string
	}{
		"all namespaces":              {"", false, []string{"Job lab/a", "Job prod/elsewhere", "CronJob lab/weekly"}},
		"one namespace":               {"prod", false, []string{"Job prod/elsewhere"}},
		"with Jobs that are finished": {"lab", true, []string{"Job lab/a", "Job lab/finished", "CronJob lab/weekly"}},
	} {
		t.Run(name, func(t *testing.T) {
			objects, err := Live(t.Context(), client, tc.namespace, tc.finished)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, i := range reviewer(t).Review(t.Context(), objects, nil).Items {
				got = append(got, i.Kind+" "+i.Namespace+"/"+i.Name)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLiveSaysWhatCannotBeListed(t *testing.T) {
	refused := errors.New("refused")
	for _, resource := range []string{"jobs", "cronjobs"} {
		client := fake.NewClientset()
		client.PrependReactor("list", resource, func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, refused })
		if _, err := Live(t.Context(), client, "", false); !errors.Is(err, refused) || !strings.HasPrefix(err.Error(), "list "+resource) {
			t.Errorf("%s: %v", resource, err)
		}
	}
}

// A live Job is known by its name, and nothing of what it holds is shown.
func TestALiveJobTellsNoCredential(t *testing.T) {
	r := reviewer(t)
	r.Brief = true
	report := r.Review(t.Context(), []Object{OfJob(live("a", "canary-sings-aloud"))}, nil)
	if report.ExitCode(validate.Deny) != ExitDenied {
		t.Fatalf("nothing found: %+v", report.Items)
	}
	for _, format := range AuditFormats.Names(false) {
		var out strings.Builder
		if err := AuditFormats.Write(&out, format, report, Style{}); err != nil {
			t.Fatal(err)
		}
		if text := out.String(); strings.Contains(text, "sings") || !strings.Contains(text, "lab") {
			t.Errorf("%s:\n%s", format, text)
		}
	}
}

func TestManyJobsKeepTheirOrder(t *testing.T) {
	var objects []Object
	for n := range 500 {
		objects = append(objects, OfJob(live(fmt.Sprintf("job-%03d", n), "")))
	}
	r := reviewer(t)
	var told atomic.Int64
	r.Progress = func(done, all int) {
		if told.Add(1) != int64(done) || all != len(objects) {
			t.Errorf("told %d of %d", done, all)
		}
	}
	report := r.Review(t.Context(), objects, nil)
	for n := range report.Items {
		if want := fmt.Sprintf("job-%03d", n); report.Items[n].Name != want {
			t.Fatalf("item %d is %s", n, report.Items[n].Name)
		}
	}
	if told.Load() != int64(len(objects)) {
		t.Errorf("told %d times", told.Load())
	}
}

func BenchmarkReviewOf5000Jobs(b *testing.B) {
	engine, err := validate.New(b.Context(), policies.FS)
	if err != nil {
		b.Fatal(err)
	}
	r := &Reviewer{Policy: &validate.Policy{Engine: engine}, Brief: true, Service: rendezvous.Service}
	var objects []Object
	for n := range 5000 {
		j := live(fmt.Sprintf("job-%d", n), "x")
		for v := range 40 {
			j.Spec.Template.Spec.Containers[0].Env = append(j.Spec.Template.Spec.Containers[0].Env, corev1.EnvVar{Name: fmt.Sprintf("V%d", v), Value: "value"})
		}
		objects = append(objects, OfJob(j))
	}
	for b.Loop() {
		if report := r.Review(b.Context(), objects, nil); len(report.Items) != len(objects) {
			b.Fatal(report.Problems)
		}
	}
}
