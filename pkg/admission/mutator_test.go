package admission_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionv1 "k8s.io/api/admission/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrladmission "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/job/jobtest"
	"github.com/taojob/taojob/pkg/mutate"
	"github.com/taojob/taojob/pkg/validate"
)

// stored is the Job that the API server makes of a request and its answer.
func stored(t *testing.T, req ctrladmission.Request, resp ctrladmission.Response) *batchv1.Job {
	t.Helper()
	if !resp.Allowed {
		t.Fatalf("refused: %s", resp.Result.Message)
	}
	text := req.Object.Raw
	if resp.Patch != nil {
		patch, err := jsonpatch.DecodePatch(resp.Patch)
		if err != nil {
			t.Fatal(err)
		}
		if text, err = patch.Apply(text); err != nil {
			t.Fatal(err)
		}
	}
	j := &batchv1.Job{}
	if err := json.Unmarshal(text, j); err != nil {
		t.Fatal(err)
	}
	return j
}

func injected(t *testing.T, j *batchv1.Job) *batchv1.Job {
	t.Helper()
	result, errs := mutate.Mutate(j, mutate.Options{})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return result.Job
}

func deleted(j *batchv1.Job) {
	j.DeletionTimestamp, j.Finalizers = &metav1.Time{}, []string{"a/b"}
	j.DeletionTimestamp.Time = metav1.Unix(1, 0).Time
}

func unlabelled(j *batchv1.Job) { j.Labels = nil }

func TestMutator(t *testing.T) {
	plain := jobtest.New("train").GPUs("1").Defaulted()
	theirs := plain.With(unlabelled)
	was := func(j jobtest.Job) jobtest.Job {
		return j.With(func(j *batchv1.Job) { *j = *injected(t, j) })
	}
	lost := func(j *batchv1.Job) { j.Annotations, j.Spec.Template = nil, plain.Obj().Spec.Template }
	for name, tc := range map[string]struct {
		old, in jobtest.Job
		update  bool
		want    *batchv1.Job
		warning string
	}{
		"a labelled Job is injected into":                           {in: plain, want: was(plain).Obj()},
		"a Job that has it all stays as it is":                      {in: was(plain), want: was(plain).Obj()},
		"a Job without the label stays as it is":                    {in: theirs, want: theirs.Obj()},
		"what injection warns of is told":                           {in: plain.Annotate("tao.nvidia.com/node", "2"), want: was(plain.Annotate("tao.nvidia.com/node", "2")).Obj(), warning: "tao.nvidia.com/node"},
		"an update that lost our fields gets them back":             {update: true, old: was(plain), in: was(plain).With(lost), want: was(plain).Obj()},
		"also one that lost the label":                              {update: true, old: was(plain), in: was(plain).With(lost).With(unlabelled), want: was(plain).With(unlabelled).Obj()},
		"an update of something else is left alone":                 {update: true, old: was(plain), in: was(plain).Label("a", "b"), want: was(plain).Label("a", "b").Obj()},
		"the label taken away is left alone":                        {update: true, old: was(plain), in: was(plain).With(unlabelled), want: was(plain).With(unlabelled).Obj()},
		"a label that comes late injects nothing, and we say so":    {update: true, old: theirs, in: plain, want: plain.Obj(), warning: "came after the Job was created"},
		"a label that comes back is no news":                        {update: true, old: was(plain).With(unlabelled), in: was(plain), want: was(plain).Obj()},
		"a Job on its way out stays as it is, whatever it has lost": {update: true, old: was(plain).With(deleted), in: was(plain).With(lost).With(deleted), want: was(plain).With(lost).With(deleted).Obj()},
	} {
		t.Run(name, func(t *testing.T) {
			req := request(t, admissionv1.Create, tc.in.Obj(), nil)
			if tc.update {
				req = request(t, admissionv1.Update, tc.in.Obj(), tc.old.Obj())
			}
			resp := mutator(t).Handle(t.Context(), req)
			if diff := cmp.Diff(tc.want, stored(t, req, resp)); diff != "" {
				t.Error(diff)
			}
			if all := strings.Join(resp.Warnings, "\n"); !strings.Contains(all, tc.warning) || (all == "") != (tc.warning == "") {
				t.Errorf("warnings are %q, want %q", all, tc.warning)
			}
		})
	}
}

func TestMutatorDrawsANameThatIsPartOfTheAddress(t *testing.T) {
	req := request(t, admissionv1.Create, jobtest.New("").GenerateName("train-").Annotate(job.Nodes, "2").Defaulted().Obj(), nil)
	first := stored(t, req, mutator(t).Handle(t.Context(), req))
	second := stored(t, req, mutator(t).Handle(t.Context(), req))
	if len(first.Name) != len("train-")+5 || first.Name == second.Name {
		t.Errorf("names are %q and %q", first.Name, second.Name)
	}
	env := first.Spec.Template.Spec.Containers[0].Env
	i := slices.IndexFunc(env, func(e corev1.EnvVar) bool { return e.Name == "MASTER_ADDR" })
	if want := first.Name + "-0." + first.Name; i < 0 || env[i].Value != want {
		t.Errorf("variables are %v, want MASTER_ADDR %s", env, want)
	}
}

func TestMutatorRefusesWithFieldPaths(t *testing.T) {
	req := request(t, admissionv1.Create, jobtest.New("train").Annotate(job.Nodes, canary).Annotate(job.MasterPort, canary).Obj(), nil)
	resp := mutator(t).Handle(t.Context(), req)
	if resp.Allowed || resp.Patch != nil || resp.Result.Code != http.StatusUnprocessableEntity || resp.Result.Reason != metav1.StatusReasonInvalid {
		t.Fatalf("response is %+v", resp)
	}
	var fields []string
	for _, cause := range resp.Result.Details.Causes {
		fields = append(fields, cause.Field)
	}
	want := []string{"metadata.annotations[tao.nvidia.com/nodes]", "metadata.annotations[tao.nvidia.com/master-port]"}
	if diff := cmp.Diff(want, fields); diff != "" {
		t.Error(diff)
	}
	holdsNoCanary(t, resp)
}

func TestOnlyCreationsAndUpdatesOfTheObjectItselfAreAnswered(t *testing.T) {
	for name, change := range map[string]func(*ctrladmission.Request){
		"its status":         func(r *ctrladmission.Request) { r.Operation, r.SubResource = admissionv1.Update, "status" },
		"its end":            func(r *ctrladmission.Request) { r.Operation = admissionv1.Delete },
		"a connection to it": func(r *ctrladmission.Request) { r.Operation = admissionv1.Connect },
	} {
		t.Run(name, func(t *testing.T) {
			req := request(t, admissionv1.Create, jobtest.New("train").Annotate(job.Nodes, "none").GPUs("99").Obj(), nil)
			change(&req)
			v := validator(t)
			for _, hook := range []*ctrladmission.Webhook{mutator(t), v.JobWebhook(), v.CronJobWebhook()} {
				resp := hook.Handle(t.Context(), req)
				if !resp.Allowed || resp.Patch != nil || resp.Warnings != nil {
					t.Errorf("response is %+v", resp)
				}
			}
		})
	}
}

func TestOurFaultsRefuseWithoutDetails(t *testing.T) {
	broken := request(t, admissionv1.Create, jobtest.New("train").Obj(), nil)
	broken.Object.Raw = []byte(strings.Replace(string(broken.Object.Raw), `"spec":{`, `"spec":{"parallelism":"`+canary+`",`, 1))
	fine := request(t, admissionv1.Create, jobtest.New("train").Obj(), nil)
	cron := request(t, admissionv1.Create, cronJob(jobtest.New("train").Obj()), nil)
	brokenCron := cron
	brokenCron.Object.Raw = []byte(strings.Replace(string(cron.Object.Raw), `"spec":{`, `"spec":{"suspend":"`+canary+`",`, 1))
	panics := validator(t)
	panics.Policy = func() *validate.Policy { panic(canary) }
	for name, tc := range map[string]struct {
		hook    *ctrladmission.Webhook
		req     ctrladmission.Request
		allowed bool
	}{
		"injection of what we cannot read":                      {hook: mutator(t), req: broken},
		"judgement of what we cannot read":                      {hook: validator(t).JobWebhook(), req: broken},
		"a panic":                                               {hook: panics.JobWebhook(), req: fine},
		"a CronJob we cannot read passes, its Jobs come by":     {hook: validator(t).CronJobWebhook(), req: brokenCron, allowed: true},
		"a panic over a CronJob lets it pass, its Jobs come by": {hook: panics.CronJobWebhook(), req: cron, allowed: true},
	} {
		t.Run(name, func(t *testing.T) {
			var log strings.Builder
			resp := logTo(tc.hook, &log).Handle(t.Context(), tc.req)
			if resp.Allowed != tc.allowed || resp.Patch != nil {
				t.Errorf("response is %+v", resp)
			}
			if says := resp.Result.Message + strings.Join(resp.Warnings, ""); !strings.Contains(says, "taojob") {
				t.Errorf("it says %q", says)
			}
			if !resp.Allowed && resp.Result.Code != http.StatusInternalServerError {
				t.Errorf("code is %d", resp.Result.Code)
			}
			if !strings.Contains(log.String(), "answering failed") || strings.Contains(log.String(), canary) {
				t.Errorf("the log has %s", strings.ReplaceAll(log.String(), canary, "<canary>"))
			}
			holdsNoCanary(t, resp)
		})
	}
}
