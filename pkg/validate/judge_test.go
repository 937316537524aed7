package validate_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taojob/taojob/pkg/validate"
)

// canary is a value in the judged object that may show up nowhere.
const canary = "hf_CANARYcanary0123456789"

// suspect is a manifest that holds the canary wherever a policy may look.
func suspect() map[string]any {
	return map[string]any{
		"kind":     "Job",
		"metadata": map[string]any{"name": canary, "annotations": map[string]any{canary: canary}},
		"spec":     map[string]any{"secret": canary, "list": []any{canary, 1, 2, 3}},
	}
}

func TestJudge(t *testing.T) {
	violation := func(rule string, action validate.Action, path, message string) validate.Violation {
		return validate.Violation{Rule: rule, Action: action, Path: path, Message: message, Fix: "do something"}
	}
	found := func(action validate.Action) validate.Decision {
		return validate.Decision{Violations: []validate.Violation{violation("rule", action, "spec", "found")}}
	}
	downgrade := `violation contains {"path": ["spec"], "message": "found", "action": "warn"}`
	for name, tc := range map[string]struct {
		metadata, rego string
		engine, once   validate.Actions
		want           validate.Decision
		denied         bool
	}{
		"the default action is METADATA's":      {metadata: "deny", rego: always, want: found("deny"), denied: true},
		"the engine's action overrides it":      {metadata: "deny", rego: always, engine: validate.Actions{"rule": "audit"}, want: found("audit")},
		"it may be stronger":                    {metadata: "warn", rego: always, engine: validate.Actions{"rule": "deny"}, want: found("deny"), denied: true},
		"that of one judgement overrides both":  {metadata: "deny", rego: always, engine: validate.Actions{"rule": "audit"}, once: validate.Actions{"rule": "warn"}, want: found("warn")},
		"a rule that is off finds nothing":      {metadata: "deny", rego: always, engine: validate.Actions{"rule": "off"}},
		"it can be on for one judgement":        {metadata: "off", rego: always, once: validate.Actions{"rule": "deny"}, want: found("deny"), denied: true},
		"a violation may weaken the action":     {metadata: "deny", rego: downgrade, want: found("warn")},
		"and an overridden one":                 {metadata: "audit", rego: downgrade, engine: validate.Actions{"rule": "deny"}, want: found("warn")},
		"but never strengthen it":               {metadata: "audit", rego: downgrade, want: found("audit")},
		"a fix of its own replaces METADATA's":  {metadata: "warn", rego: `violation contains {"path": ["a"], "message": "m", "fix": "f"}`, want: validate.Decision{Violations: []validate.Violation{{Rule: "rule", Action: "warn", Path: "a", Message: "m", Fix: "f"}}}},
		"what cannot be judged is skipped":      {metadata: "deny", rego: always + "violation contains {} if false\nskipped contains \"b\"\nskipped contains \"a\"", want: validate.Decision{Violations: found("deny").Violations, Skipped: []validate.Skipped{{Rule: "rule", Reason: "a"}, {Rule: "rule", Reason: "b"}}}, denied: true},
		"a builtin's error is merely undefined": {metadata: "deny", rego: `violation contains {"path": ["a"], "message": "m"} if to_number(input.object.spec.secret)`},
		"violations are sorted by place, indices as numbers": {
			metadata: "warn",
			rego:     `violation contains {"path": ["a", i], "message": m} if { some i in [10, 2]; some m in ["y", "x"] }`,
			want: validate.Decision{Violations: []validate.Violation{
				violation("rule", "warn", "a[2]", "x"), violation("rule", "warn", "a[2]", "y"),
				violation("rule", "warn", "a[10]", "x"), violation("rule", "warn", "a[10]", "y"),
			}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEngine(t, map[string]string{"rule.rego": metadata("rule", tc.metadata) + tc.rego}, validate.WithActions(tc.engine))
			got, err := e.Judge(t.Context(), validate.Input{Object: suspect(), Actions: tc.once})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
			if got.Denied() != tc.denied {
				t.Errorf("Denied() = %t", got.Denied())
			}
		})
	}
}

func TestErrorsAreNoViolations(t *testing.T) {
	for name, tc := range map[string]struct{ rego, want string }{
		"a conflict names file and line": {
			`violation contains {"path": ["a"], "message": v}
v := input.object.spec.secret
v := "other"`, "evaluate rule bad: eval_conflict_error at bad.rego:9"},
		"keys of an object that clash with values in the message": {
			`violation contains {"path": ["a"], "message": "m"} if {x := {k: v | some k in ["key"]; some v in input.object.spec.list}; x.key}`, "eval_conflict_error"},
		"a violation without a path":           {`violation contains {"message": input.object.spec.secret}`, "no path"},
		"a violation without a message":        {`violation contains {"path": ["a"]}`, "no message"},
		"a violation that is text":             {`violation contains input.object.spec.secret`, "no object"},
		"a misspelt key":                       {`violation contains {"path": ["a"], "mesage": input.object.spec.secret}`, "want violations as objects"},
		"a message that is a list":             {`violation contains {"path": ["a"], "message": input.object.spec.list}`, "want violations as objects"},
		"a path that is text":                  {`violation contains {"path": input.object.spec.secret, "message": "m"}`, "want violations as objects"},
		"a path with an object in it":          {`violation contains {"path": [input.object], "message": "m"}`, "a path is not"},
		"an action nobody knows":               {`violation contains {"path": ["a"], "message": "m", "action": input.object.spec.secret}`, "a violation's action"},
		"off as the action of a violation":     {`violation contains {"path": ["a"], "message": "m", "action": "off"}`, "a violation's action"},
		"a reason for skipping that is a list": {always + `skipped contains input.object.spec.list`, "skipped holds"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEngine(t, map[string]string{
				"bad.rego": metadata("bad", "deny") + tc.rego, "good.rego": metadata("good", "deny") + always,
			})
			d, err := e.Judge(t.Context(), validate.Input{Object: suspect()})
			var failed *validate.RuleError
			if !errors.As(err, &failed) || failed.Rule != "bad" || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%q is missing in: %v", tc.want, err)
			}
			if err != nil && strings.Contains(err.Error(), canary) {
				t.Error("the error holds a value of the object")
			}
			if len(d.Violations) != 1 || d.Violations[0].Rule != "good" {
				t.Errorf("the other rule's verdict is %v", d)
			}
		})
	}
}

// A rule that fails under a `with` leaves that input behind in what rules
// share; the next rule must not see it.
func TestARuleThatFailsLeavesNothingBehind(t *testing.T) {
	e := newEngine(t, map[string]string{
		"lib.rego": "package tao.lib.shared\nkind := input.object.kind",
		"a.rego": metadata("a", "deny") + `import data.tao.lib.shared
violation contains {"path": ["a"], "message": "m"} if broken with input as {"object": {"kind": "Fake"}}
broken if { shared.kind; v }
v := 1
v := 2`,
		"b.rego": metadata("b", "deny") + "import data.tao.lib.shared\n" + `violation contains {"path": ["a"], "message": shared.kind}`,
	})
	d, err := e.Judge(t.Context(), validate.Input{Object: suspect()})
	if err == nil || len(d.Violations) != 1 || d.Violations[0].Message != "Job" {
		t.Error(d, err)
	}
}

func TestJudgeRefusesWhatIsNoJob(t *testing.T) {
	e := newEngine(t, map[string]string{"a.rego": metadata("a", "deny") + always})
	for name, object := range map[string]any{
		"nothing": nil, "text": canary, "a manifest that is no JSON": map[string]any{"f": func() {}, "s": canary},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := e.Judge(t.Context(), validate.Input{Object: object})
			if err == nil || len(d.Violations) > 0 || strings.Contains(err.Error(), canary) {
				t.Error(d, err)
			}
		})
	}
}

func TestJudgeByManyAtOnce(t *testing.T) {
	e := newEngine(t, map[string]string{
		"a.rego":        metadata("a", "deny") + `violation contains {"path": ["env", i], "message": data.tao.word} if some i, _ in input.object.spec.template.spec.containers[0].env`,
		"tao/data.json": `{"word": "found"}`,
	})
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for range 20 {
				d, err := e.Judge(t.Context(), validate.Input{Object: wideJob(n)})
				if err != nil || len(d.Violations) != n {
					t.Error(n, d, err)
				}
			}
		})
	}
	all.Wait()
}
