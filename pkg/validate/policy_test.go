package validate_test

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/validate"
)

// doubtful finds something, and never is certain of something else.
var doubtful = fstest.MapFS{"a.rego": {Data: []byte(`# METADATA
# title: Always
# description: Always finds something.
# custom: {id: always, action: deny, fix: none}
package tao.rules.always

violation contains {"path": ["spec"], "message": "found"}
skipped contains "nobody knows"
`)}}

func TestPolicyDecides(t *testing.T) {
	engine, err := validate.New(t.Context(), doubtful)
	if err != nil {
		t.Fatal(err)
	}
	noon := time.Date(2027, 1, 31, 12, 0, 0, 0, time.UTC)
	until := func(rule, namespace, name string) validate.Policy {
		return validate.Policy{Exceptions: []validate.Exception{
			{Rules: []string{rule}, Namespaces: []string{namespace}, Jobs: []string{name}, Reason: "moving", Expires: noon},
		}}
	}
	for name, tc := range map[string]struct {
		policy validate.Policy
		at     time.Time
		want   validate.Action
		except bool
	}{
		"a rule does what its METADATA says":       {want: validate.Deny},
		"a namespace decides otherwise":            {policy: validate.Policy{Namespaces: []validate.Override{{Names: []string{"dev-*"}, Rules: validate.Actions{"always": validate.Warn}}}}, want: validate.Warn},
		"the later of two decides":                 {policy: validate.Policy{Namespaces: []validate.Override{{Names: []string{"dev-*"}, Rules: validate.Actions{"always": validate.Warn}}, {Names: []string{"dev-a"}, Rules: validate.Actions{"always": validate.Audit}}}}, want: validate.Audit},
		"another namespace has no say":             {policy: validate.Policy{Namespaces: []validate.Override{{Names: []string{"prod"}, Rules: validate.Actions{"always": validate.Warn}}}}, want: validate.Deny},
		"an exception only records":                {policy: until("always", "dev-a", "legacy-*"), at: noon, want: validate.Audit, except: true},
		"an exception is over after its last":      {policy: until("always", "dev-a", "legacy-*"), at: noon.Add(1), want: validate.Deny},
		"an exception of another namespace":        {policy: until("always", "dev", "*"), at: noon, want: validate.Deny},
		"an exception of another Job":              {policy: until("always", "*", "new-*"), at: noon, want: validate.Deny},
		"an exception of another rule has no part": {policy: until("never", "*", "*"), at: noon, want: validate.Deny},
	} {
		t.Run(name, func(t *testing.T) {
			tc.policy.Engine = engine
			in := validate.Input{Object: map[string]any{}, Training: &job.Training{Namespace: "dev-a", Name: "legacy-1"}}
			d, err := tc.policy.Judge(t.Context(), in, tc.at)
			if err != nil {
				t.Fatal(err)
			}
			if len(d.Violations) != 1 || d.Violations[0].Action != tc.want || (d.Violations[0].Excepted != nil) != tc.except {
				t.Errorf("violations are %+v", d.Violations)
			}
			if len(d.Skipped) != 1 || d.Denied() != (tc.want == validate.Deny) {
				t.Errorf("decision is %+v", d)
			}
		})
	}
}

func TestWhatIsUnknownLeadsTo(t *testing.T) {
	engine, err := validate.New(t.Context(), doubtful)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		unknown, namespace validate.Actions
		want               []validate.Action
	}{
		"a record, if nothing is said":         {want: []validate.Action{validate.Deny}},
		"a denial":                             {unknown: validate.Actions{"always": validate.Deny}, want: []validate.Action{validate.Deny, validate.Deny}},
		"a warning, as for all rules":          {unknown: validate.Actions{validate.EveryRule: validate.Warn}, want: []validate.Action{validate.Deny, validate.Warn}},
		"a record, as is said of the rule":     {unknown: validate.Actions{"always": validate.Audit, validate.EveryRule: validate.Deny}, want: []validate.Action{validate.Deny}},
		"no more than the rule itself does":    {unknown: validate.Actions{"always": validate.Deny}, namespace: validate.Actions{"always": validate.Warn}, want: []validate.Action{validate.Warn, validate.Warn}},
		"nothing where the rule is not judged": {unknown: validate.Actions{"always": validate.Deny}, namespace: validate.Actions{"always": validate.Off}},
	} {
		t.Run(name, func(t *testing.T) {
			p := validate.Policy{Engine: engine, Unknown: tc.unknown, Namespaces: []validate.Override{{Names: []string{"*"}, Rules: tc.namespace}}}
			d, err := p.Judge(t.Context(), validate.Input{Object: map[string]any{}}, time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			var got []validate.Action
			for _, v := range d.Violations {
				got = append(got, v.Action)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
