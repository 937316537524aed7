package admission_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/taojob/taojob/pkg/facts"
	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/job/jobtest"
	"github.com/taojob/taojob/pkg/validate"
)

func service(name string, change func(*corev1.Service)) client.Object {
	s := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}, Spec: corev1.ServiceSpec{
		ClusterIP: corev1.ClusterIPNone, Selector: map[string]string{"job-name": name},
	}}
	change(s)
	return s
}

func TestCreationsAreJudgedByWhatIsKnown(t *testing.T) {
	two := jobtest.New("train").GPUs("8").Annotate(job.Nodes, "2")
	asIs := func(*corev1.Service) {}
	public := func(s *corev1.Service) { s.Spec.ClusterIP = "10.0.0.1" }
	for name, tc := range map[string]struct {
		in      jobtest.Job
		cluster []client.Object
		changed func(*facts.Cluster)
		refused []string // rules, in order
		warns   string
		skipped string // in the audit annotation
	}{
		"a Job that fits is admitted":                       {in: two, cluster: gpuNodes(2)},
		"one that can never run is refused":                 {in: two, cluster: gpuNodes(1), refused: []string{"gpu-capacity"}},
		"one without the label is not judged":               {in: two.With(unlabelled).Env("HF_TOKEN", canary)},
		"all there is to say is said at once, sorted":       {in: two.Env("HF_TOKEN", canary).Env("WANDB_API_KEY", canary), refused: []string{"gpu-capacity", "inline-credentials", "inline-credentials"}},
		"a queue makes it a warning":                        {in: two.Label("kueue.x-k8s.io/queue-name", "team"), cluster: gpuNodes(1), warns: "gpu-capacity"},
		"another's Service in the way refuses":              {in: two, cluster: append(gpuNodes(2), service("train", public)), refused: []string{"multi-node-shape"}},
		"another's Service that serves as well does not":    {in: two, cluster: append(gpuNodes(2), service("train", asIs))},
		"a Service in the way of nobody does not":           {in: two.Annotate(job.Nodes, "1"), cluster: append(gpuNodes(2), service("train", public))},
		"an old cluster refuses several nodes":              {in: two, cluster: gpuNodes(2), changed: func(c *facts.Cluster) { c.Version = &validate.Version{Major: 1, Minor: 27} }, refused: []string{"multi-node-version"}},
		"a bad annotation that the mutator missed, refuses": {in: two.Annotate(job.MasterPort, "0"), cluster: gpuNodes(2), refused: []string{"invalid-annotation"}},
		"nodes that have not come yet are not missed":       {in: two, changed: func(c *facts.Cluster) { c.Nodes = nil }, skipped: "gpu-capacity: the cluster's nodes are not known: the webhook has not read all of the cluster's objects yet"},
	} {
		t.Run(name, func(t *testing.T) {
			v := validator(t, tc.cluster...)
			if tc.changed != nil {
				tc.changed(v.Cluster())
			}
			in := tc.in.Defaulted()
			if tc.refused == nil {
				in = in.With(func(j *batchv1.Job) { *j = *injected(t, j) })
			}
			resp := v.JobWebhook().Handle(t.Context(), request(t, admissionv1.Create, in.Obj(), nil))
			if diff := cmp.Diff(tc.refused, rules(resp.Result.Message)); diff != "" {
				t.Errorf("%s\n%s", resp.Result.Message, diff)
			}
			if resp.Allowed != (tc.refused == nil) || (!resp.Allowed && (resp.Result.Code != http.StatusForbidden || resp.Result.Reason != metav1.StatusReasonForbidden)) {
				t.Errorf("response is %+v", resp)
			}
			if all := strings.Join(resp.Warnings, "\n"); !strings.HasPrefix(all, tc.warns) || (all == "") != (tc.warns == "") {
				t.Errorf("warnings are %q, want %q", all, tc.warns)
			}
			if got := resp.AuditAnnotations["skipped"]; !strings.Contains(got, tc.skipped) || (got == "") != (tc.skipped == "") {
				t.Errorf("skipped is %q, want %q", got, tc.skipped)
			}
			if got := resp.AuditAnnotations["violations"]; (got == "") != (tc.refused == nil && tc.warns == "") {
				t.Errorf("violations are %q", got)
			}
		})
	}
}

// rules are those that a refusal names, in order; nil for none.
func rules(message string) []string {
	var all []string
	for line := range strings.Lines(message) {
		rule, _, _ := strings.Cut(line, ":")
		all = append(all, rule)
	}
	return all
}

func TestUpdatesAreJudgedByWhatTheyAdd(t *testing.T) {
	big := jobtest.New("train").GPUs("99").Env("HF_TOKEN", canary).Defaulted()
	fine := jobtest.New("train").GPUs("1").Defaulted()
	sidecar := func(p *corev1.PodSpec) { p.Containers = append([]corev1.Container{{Name: "x"}}, p.Containers...) }
	done := func(j *batchv1.Job) {
		j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}
	}
	for name, tc := range map[string]struct {
		old, in jobtest.Job
		refused []string
	}{
		"what was wrong before is not held against it":       {old: big, in: big.Label("a", "b")},
		"also where its place has moved":                     {old: big, in: big.Pod(sidecar)},
		"a new fault is, alone":                              {old: big, in: big.Env("WANDB_API_KEY", canary), refused: []string{"inline-credentials"}},
		"a label that comes late refuses nothing":            {old: big.With(unlabelled), in: big},
		"the label taken away is nothing to judge":           {old: fine, in: big.With(unlabelled)},
		"a bad annotation that is new refuses":               {old: fine, in: fine.Annotate(job.Nodes, "0"), refused: []string{"invalid-annotation"}},
		"a bad annotation that was there does not":           {old: fine.Annotate(job.Nodes, "0"), in: fine.Annotate(job.Nodes, "0").Label("a", "b")},
		"a Job on its way out is never held up":              {old: fine, in: big.With(deleted)},
		"a finished Job gives up its finalizers":             {old: big.With(done).With(finalizer), in: big.With(done)},
		"a suspended Job that can never run is not resumed":  {old: big.With(suspend(true)), in: big.With(suspend(false)), refused: []string{"gpu-capacity"}},
		"one that has been made to fit is":                   {old: big.With(suspend(true)), in: big.GPUs("1").With(suspend(false))},
		"one whose queue decides is resumed with a warning":  {old: queued(big).With(suspend(true)), in: queued(big).With(suspend(false))},
		"completions that contradict the nodes are a fault":  {old: fine, in: fine.Annotate(job.Nodes, "2").Runs(3, 3), refused: []string{"multi-node-shape", "multi-node-shape"}},
		"an update that changes nothing is none of business": {old: fine, in: fine},
	} {
		t.Run(name, func(t *testing.T) {
			v := validator(t, gpuNodes(1)...)
			resp := v.JobWebhook().Handle(t.Context(), request(t, admissionv1.Update, tc.in.Obj(), tc.old.Obj()))
			if diff := cmp.Diff(tc.refused, rules(resp.Result.Message)); diff != "" || resp.Allowed != (tc.refused == nil) {
				t.Errorf("%s\n%s", resp.Result.Message, diff)
			}
			holdsNoCanary(t, resp)
		})
	}
}

func finalizer(j *batchv1.Job) { j.Finalizers = []string{"a/b"} }

func suspend(yes bool) func(*batchv1.Job) {
	return func(j *batchv1.Job) { j.Spec.Suspend = ptr.To(yes) }
}

func queued(j jobtest.Job) jobtest.Job { return j.Label("kueue.x-k8s.io/queue-name", "team") }

func TestCronJobsAreJudgedByTheJobsTheyMake(t *testing.T) {
	tainted := gpuNodes(1)[0].(*corev1.Node)
	tainted.Spec.Taints = []corev1.Taint{{Key: "nvidia.com/gpu", Effect: corev1.TaintEffectNoSchedule}}
	one := jobtest.New("train").GPUs("8")
	for name, tc := range map[string]struct {
		old, in jobtest.Job
		update  bool
		refused string
		skipped string // in the audit annotation
	}{
		"one that fits once it is injected is admitted": {in: one},
		"one that can never run is refused":             {in: one.GPUs("9"), refused: "gpu-capacity: spec.jobTemplate.spec.template.spec.containers[0].resources.limits"},
		"one with a credential is refused":              {in: one.Env("HF_TOKEN", canary), refused: "inline-credentials: spec.jobTemplate.spec.template.spec.containers[0].env[0]"},
		"one with a bad annotation is refused": {in: one.Annotate(job.Nodes, "0"), refused: "invalid-annotation: spec.jobTemplate.metadata.annotations[tao.nvidia.com/nodes]",
			skipped: "gpu-capacity: the cluster's nodes are not known: what is refused has to be put right first"},
		"one without the label is not judged":        {in: one.GPUs("9").With(unlabelled)},
		"one that was wrong before may be suspended": {update: true, old: one.GPUs("9"), in: one.GPUs("9").With(suspend(true))},
		"one that becomes wrong is refused":          {update: true, old: one, in: one.GPUs("9"), refused: "gpu-capacity"},
	} {
		t.Run(name, func(t *testing.T) {
			req := request(t, admissionv1.Create, cronJob(tc.in.Obj()), nil)
			if tc.update {
				req = request(t, admissionv1.Update, cronJob(tc.in.Obj()), cronJob(tc.old.Obj()))
			}
			resp := validator(t, tainted).CronJobWebhook().Handle(t.Context(), req)
			if resp.Allowed != (tc.refused == "") || !strings.HasPrefix(resp.Result.Message, tc.refused) {
				t.Errorf("allowed %t: %s", resp.Allowed, resp.Result.Message)
			}
			if got := resp.AuditAnnotations["skipped"]; !strings.Contains(got, tc.skipped) || (got == "") != (tc.skipped == "") {
				t.Errorf("skipped is %q", got)
			}
			holdsNoCanary(t, resp)
		})
	}
}
