package config_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/taojob/taojob/pkg/config"
	"github.com/taojob/taojob/pkg/validate"
)

func builtIn(t *testing.T) *validate.Engine {
	t.Helper()
	engine, err := validate.New(t.Context(), os.DirFS("../../policies"))
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

func TestPolicy(t *testing.T) {
	engine := builtIn(t)
	c, err := config.Parse([]byte(head + `namespaces:
- names: [dev-*]
  rules: {gpu-capacity: warn, multi-node-shape: "off"}
exceptions:
- rules: [inline-credentials]
  namespaces: [team-a]
  jobs: ["legacy-*"]
  reason: moves to Secrets
  expires: 2027-01-31
- {rules: [gpu-capacity], reason: nodes come, expires: "2027-02-01T12:00:00+01:00"}
unknown: {gpu-capacity: deny, "*": warn}
`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Policy(engine)
	if err != nil {
		t.Fatal(err)
	}
	want := &validate.Policy{
		Namespaces: []validate.Override{{
			Names: []string{"dev-*"}, Rules: validate.Actions{"gpu-capacity": validate.Warn, "multi-node-shape": validate.Off},
		}},
		Exceptions: []validate.Exception{
			{
				Rules: []string{"inline-credentials"}, Namespaces: []string{"team-a"}, Jobs: []string{"legacy-*"},
				Reason: "moves to Secrets", Expires: time.Date(2027, 1, 31, 23, 59, 59, 999999999, time.UTC),
			},
			{Rules: []string{"gpu-capacity"}, Reason: "nodes come", Expires: time.Date(2027, 2, 1, 11, 0, 0, 0, time.UTC)},
		},
		Unknown: validate.Actions{"gpu-capacity": validate.Deny, validate.EveryRule: validate.Warn},
	}
	got.Engine = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestDocumentation takes the file of the documentation as it is.
func TestDocumentation(t *testing.T) {
	text, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(text), "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	c, err := config.Parse([]byte(example))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Policy(builtIn(t)); err != nil || len(c.Exceptions) != 1 {
		t.Errorf("%d exceptions, error %v", len(c.Exceptions), err)
	}
}

func TestPolicyRefuses(t *testing.T) {
	engine := builtIn(t)
	for name, tc := range map[string]struct{ in, says string }{
		"an exception without an end":    {"exceptions: [{rules: [gpu-free], reason: x}]", "exceptions[0].expires: want a day"},
		"an end that is no day":          {"exceptions: [{rules: [gpu-capacity], reason: x, expires: friday}]", "exceptions[0].expires: want a day"},
		"an exception without a reason":  {"exceptions: [{rules: [gpu-capacity], expires: 2027-01-31}]", "exceptions[0].reason: want why"},
		"an exception of no rule":        {"exceptions: [{reason: x, expires: 2027-01-31}]", "exceptions[0].rules: want the ids"},
		"an exception of an unknown one": {"exceptions: [{rules: [gpu], reason: x, expires: 2027-01-31}]", `rule "gpu": unknown rule, want one of gpu-capacity, `},
		"a glob that is none":            {"exceptions: [{rules: [gpu-capacity], jobs: ['[']," + " reason: x, expires: 2027-01-31}]", "exceptions[0].jobs: want names or globs"},
		"namespaces without names":       {"namespaces: [{rules: {gpu-capacity: warn}}]", "namespaces[0].names: want names"},
		"an unknown rule in a namespace": {"namespaces: [{names: [a], rules: {gpu: warn}}]", `rule "gpu": unknown rule`},
		"not to ask, of what is asked":   {`unknown: {"*": "off"}`, `unknown: "*": want one of deny, warn, audit, found "off"`},
		"an unknown action":              {"unknown: {gpu-capacity: ignore}", `unknown action "ignore"`},
		"a mistyped field":               {"exceptions: [{rule: [gpu-capacity]}]", `unknown field "exceptions[0].rule"`},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := config.Parse([]byte(head + tc.in + "\n"))
			if err == nil {
				_, err = c.Policy(engine)
			}
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("error %v, want %q", err, tc.says)
			}
		})
	}
}
