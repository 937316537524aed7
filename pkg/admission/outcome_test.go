package admission_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	admissionv1 "k8s.io/api/admission/v1"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	ctrladmission "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/taojob/taojob/pkg/admission"
	"github.com/taojob/taojob/pkg/job/jobtest"
	"github.com/taojob/taojob/pkg/validate"
)

// rule is a policy of one rule with a head of its own.
func rule(id, action, rego string) string {
	return "# METADATA\n# title: " + id + "\n# description: what it is about\n" +
		"# custom: {id: " + id + ", action: " + action + ", fix: do something}\n" +
		"package tao.rules." + id + "\n\n" + rego
}

// by judges by these policies instead of the built-in ones.
func by(t *testing.T, policies ...string) *admission.Validator {
	t.Helper()
	files := fstest.MapFS{}
	for i, text := range policies {
		files[string(rune('a'+i))+".rego"] = &fstest.MapFile{Data: []byte(text)}
	}
	engine, err := validate.New(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	v := validator(t)
	v.Policy = func() *validate.Policy { return &validate.Policy{Engine: engine} }
	return v
}

const (
	always = `violation contains {"path": ["spec"], "message": "found"}`
	labels = `violation contains {"path": ["metadata"], "message": "labels"} if count(input.object.metadata.labels) > 1`
	// broken fails to evaluate; brokenBy only when there is a label "broken".
	broken   = `violation contains {"path": ["a"], "message": v}` + "\nv := \"x\"\nv := input.object.metadata.name\n"
	brokenBy = `violation contains {"path": ["a"], "message": v}` + "\nv := \"x\"\nv := input.object.metadata.labels.broken\n"
	// manyLong finds two hundred things, each of a hundred characters and more.
	manyLong = `violation contains {"path": ["a", i], "message": sprintf("%0100d", [i])} if some i in numbers.range(1, 200)`
)

func TestWhatRulesSayBecomesTheAnswer(t *testing.T) {
	for name, tc := range map[string]struct {
		policies []string
		allow    bool // on a policy error
		refused  []string
		warnings []string
		audit    map[string]string
	}{
		"a warning warns":                            {policies: []string{rule("w", "warn", always)}, warnings: []string{"w: spec: found; fix: do something"}, audit: map[string]string{"violations": "w (warn): spec: found"}},
		"what is only recorded shows nowhere else":   {policies: []string{rule("a", "audit", always)}, audit: map[string]string{"violations": "a (audit): spec: found"}},
		"warnings come with a refusal":               {policies: []string{rule("d", "deny", always), rule("w", "warn", always)}, refused: []string{"d: spec: found; fix: do something"}, warnings: []string{"w: spec: found; fix: do something"}, audit: map[string]string{"violations": "d (deny): spec: found\nw (warn): spec: found"}},
		"a fact that is missing is recorded":         {policies: []string{rule("s", "deny", "violation contains {} if false\nskipped contains \"no nodes\"")}, audit: map[string]string{"skipped": "s: no nodes"}},
		"a rule that fails refuses":                  {policies: []string{rule("b", "deny", broken)}, refused: []string{"taojob could not judge this, and is set up to refuse it then: evaluate rule b: eval_conflict_error at a.rego:9"}, audit: map[string]string{"policy-errors": "evaluate rule b: eval_conflict_error at a.rego:9"}},
		"or not, if it is configured so":             {policies: []string{rule("b", "deny", broken)}, allow: true, audit: map[string]string{"policy-errors": "evaluate rule b: eval_conflict_error at a.rego:9"}},
		"what another rule denies is denied then":    {policies: []string{rule("b", "deny", broken), rule("d", "deny", always)}, allow: true, refused: []string{"d: spec: found; fix: do something"}, audit: map[string]string{"violations": "d (deny): spec: found", "policy-errors": "evaluate rule b: eval_conflict_error at a.rego:9"}},
		"control characters leave a warning, whole":  {policies: []string{rule("w", "warn", `violation contains {"path": ["a\nb"], "message": "c\td\u0007"}`)}, warnings: []string{"w: a b: c d ; fix: do something"}, audit: map[string]string{"violations": "w (warn): a b: c d "}},
		"control characters cannot feign a new line": {policies: []string{rule("d", "deny", `violation contains {"path": ["a"], "message": "b\nc"}`)}, refused: []string{"d: a: b c; fix: do something"}, audit: map[string]string{"violations": "d (deny): a: b c"}},
	} {
		t.Run(name, func(t *testing.T) {
			v := by(t, tc.policies...)
			v.AllowOnError = tc.allow
			resp := v.JobWebhook().Handle(t.Context(), request(t, admissionv1.Create, jobtest.New("train").Obj(), nil))
			if resp.Allowed != (tc.refused == nil) || resp.Result.Message != strings.Join(tc.refused, "\n") {
				t.Errorf("allowed %t: %s", resp.Allowed, resp.Result.Message)
			}
			if diff := cmp.Diff(tc.warnings, resp.Warnings); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tc.audit, resp.AuditAnnotations); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestARuleThatFailsHoldsNoUpdateUp(t *testing.T) {
	plain := jobtest.New("train")
	for name, tc := range map[string]struct {
		rego    string
		old, in jobtest.Job
		refused bool
	}{
		"when it failed before as well":              {rego: broken, old: plain, in: plain.Label("a", "b")},
		"when only what is there now can be judged":  {rego: brokenBy + labels, old: plain.Label("broken", "y"), in: plain.Label("a", "b")},
		"unless it is the update that makes it fail": {rego: brokenBy, old: plain, in: plain.Label("broken", "y"), refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			req := request(t, admissionv1.Update, tc.in.Obj(), tc.old.Obj())
			resp := by(t, rule("b", "deny", tc.rego)).JobWebhook().Handle(t.Context(), req)
			if resp.Allowed == tc.refused {
				t.Errorf("allowed %t: %s", resp.Allowed, resp.Result.Message)
			}
		})
	}
}

func TestAnswersAreBounded(t *testing.T) {
	for name, tc := range map[string]struct{ rego, ends string }{
		"many findings are counted from some on": {manyLong, "more"},
		"a long one is cut":                      {`violation contains {"path": ["a"], "message": sprintf("%050000d", [1])}`, "…"},
	} {
		t.Run(name, func(t *testing.T) {
			resp := by(t, rule("d", "deny", tc.rego), rule("w", "warn", tc.rego)).JobWebhook().
				Handle(t.Context(), request(t, admissionv1.Create, jobtest.New("train").Obj(), nil))
			if size := len(resp.Result.Message); size > 17000 || !strings.HasSuffix(resp.Result.Message, tc.ends) {
				t.Errorf("the refusal has %d bytes and ends with %q", size, resp.Result.Message[size-10:])
			}
			if all := strings.Join(resp.Warnings, ""); len(all) > 2200 || !strings.HasSuffix(all, tc.ends) {
				t.Errorf("the warnings have %d bytes", len(all))
			}
			if size := len(resp.AuditAnnotations["violations"]); size > 4200 {
				t.Errorf("the audit annotation has %d bytes", size)
			}
		})
	}
}

func TestAdmissionsAreCounted(t *testing.T) {
	plain := jobtest.New("train")
	create := request(t, admissionv1.Create, plain.Obj(), nil)
	fails := by(t, rule("countedb", "deny", broken), rule("countedd", "deny", always), rule("counteds", "deny", "violation contains {} if false\nskipped contains \"x\""))
	panics := validator(t)
	panics.Policy = nil
	before := counters(t)
	for _, tc := range []struct {
		hook *ctrladmission.Webhook
		req  ctrladmission.Request
	}{
		{mutator(t), create},
		{mutator(t), request(t, admissionv1.Create, plain.With(unlabelled).Obj(), nil)},
		{fails.JobWebhook(), create},
		{fails.JobWebhook(), request(t, admissionv1.Update, plain.Obj(), plain.Obj())},
		{panics.JobWebhook(), create},
	} {
		tc.hook.Handle(t.Context(), tc.req)
	}
	got := map[string]float64{}
	for name, value := range counters(t) {
		if value != before[name] {
			got[name] = value - before[name]
		}
	}
	want := map[string]float64{
		"taojob_admissions_total inject CREATE patched": 1,
		"taojob_admissions_total inject CREATE allowed": 1,
		"taojob_admissions_total judge CREATE refused":  1,
		"taojob_admissions_total judge CREATE error":    1,
		"taojob_admissions_total judge UPDATE allowed":  1,
		"taojob_violations_total countedd deny":         1,
		"taojob_policy_errors_total countedb error":     2,
		"taojob_rules_skipped_total counteds":           2,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// counters are our metrics, by name and labels.
func counters(t *testing.T) map[string]float64 {
	t.Helper()
	families, err := metrics.Registry.(prometheus.Gatherer).Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for _, family := range families {
		if !strings.HasPrefix(family.GetName(), "taojob_") {
			continue
		}
		for _, m := range family.GetMetric() {
			values := map[string]string{}
			for _, label := range m.GetLabel() {
				values[label.GetName()] = label.GetValue()
			}
			name := family.GetName()
			for _, label := range []string{"webhook", "operation", "outcome", "rule", "action", "reason"} {
				if value, ok := values[label]; ok {
					name = strings.Join([]string{name, value}, " ")
				}
			}
			all[name] = m.GetCounter().GetValue()
		}
	}
	return all
}
