package validate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/taojob/taojob/pkg/validate"
)

// metadata is a valid head of a rule named as given, of one word.
func metadata(id, action string) string {
	return "# METADATA\n# title: " + id + "\n# description: what it is about\n" +
		"# custom: {id: " + id + ", action: " + action + ", fix: do something}\n" +
		"package tao.rules." + strings.ReplaceAll(id, "-", "_") + "\n\n"
}

const always = `violation contains {"path": ["spec"], "message": "found"}` + "\n"

// files is a file system of policies.
func files(content map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range content {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func newEngine(t *testing.T, content map[string]string, options ...validate.Option) *validate.Engine {
	t.Helper()
	e, err := validate.New(t.Context(), files(content), options...)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestNewRefuses(t *testing.T) {
	good := metadata("good", "deny") + always
	for name, tc := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"a syntax error by file and line": {
			map[string]string{"bad.rego": metadata("bad", "deny") + "violation contains {"}, []string{"bad.rego:7"}},
		"an unknown variable by file and line": {
			map[string]string{"bad.rego": metadata("bad", "deny") + "violation contains x"}, []string{"bad.rego:7", "var x is unsafe"}},
		"an unused import, for it is strict": {
			map[string]string{"bad.rego": metadata("bad", "deny") + "import data.tao.lib\n" + always}, []string{"bad.rego:7", "unused"}},
		"a rule without METADATA": {
			map[string]string{"bad.rego": "package tao.rules.bad\n" + always}, []string{"bad.rego", "tao.rules.bad has no METADATA"}},
		"METADATA that is no YAML": {
			map[string]string{"bad.rego": "# METADATA\n# title: [\npackage tao.rules.bad\n" + always}, []string{"bad.rego:2", "yaml"}},
		"METADATA without a fix": {
			map[string]string{"bad.rego": strings.Replace(metadata("bad", "deny"), ", fix: do something", "", 1) + always}, []string{"bad.rego", "custom.fix"}},
		"an action nobody knows": {
			map[string]string{"bad.rego": metadata("bad", "block") + always}, []string{"bad.rego", `"block"`, "deny, warn, audit, off"}},
		"an id that is not the package's": {
			map[string]string{"bad.rego": strings.Replace(metadata("bad", "deny"), "id: bad", "id: worse", 1) + always}, []string{"bad.rego", `"worse", want "bad"`}},
		"a package without violations": {
			map[string]string{"bad.rego": metadata("bad", "deny") + `deny contains "x"`}, []string{"bad.rego", "defines no violation"}},
		"a violation that is no set": {
			map[string]string{"bad.rego": metadata("bad", "deny") + "violation := 1"}, []string{"bad.rego", "violation of bad is no set"}},
		"a rule below another": {
			map[string]string{"bad.rego": "package tao.rules.good.more\nx := 1"}, []string{"bad.rego", "want tao.rules.<name>"}},
		"a rule in a place where nobody looks": {
			map[string]string{"bad.rego": "package tao.rule.bad\n" + always}, []string{"bad.rego", "not below tao.rules"}},
		"a call into the network": {
			map[string]string{"bad.rego": metadata("bad", "deny") + `violation contains {"path": ["spec"], "message": http.send({}).body}`}, []string{"bad.rego:7", "http.send"}},
		"a look at the environment": {
			map[string]string{"bad.rego": metadata("bad", "deny") + `violation contains {"path": ["spec"], "message": opa.runtime().env.HOME}`}, []string{"bad.rego:7", "opa.runtime"}},
		"a look at the clock": {
			map[string]string{"bad.rego": metadata("bad", "deny") + `violation contains {"path": [time.now_ns()], "message": "x"}`}, []string{"bad.rego:7", "time.now_ns"}},
		"data in place of a rule": {
			map[string]string{"data.json": `{"tao":{"rules":{"good":{"violation":[]}}}}`}, []string{"conflict"}},
		"two values for one key of data": {
			map[string]string{"a.json": `{"tao":{"x":1}}`, "b.yaml": "tao: {x: 2}"}, []string{"b.yaml"}},
	} {
		t.Run(name, func(t *testing.T) {
			tc.files["good.rego"] = good
			_, err := validate.New(t.Context(), files(tc.files))
			if err == nil {
				t.Fatal("no error")
			}
			for _, part := range tc.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q is missing in: %v", part, err)
				}
			}
		})
	}
}

func TestNewRefusesPoliciesWithoutRules(t *testing.T) {
	_, err := validate.New(t.Context(), files(map[string]string{"lib.rego": "package tao.lib.x\nx := 1"}))
	if err == nil || !strings.Contains(err.Error(), "no rule") {
		t.Error(err)
	}
}

func TestNewPassesOver(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"..2026_02_14/good.rego": metadata("good", "deny") + always,
		"good_test.rego":         "package tao.rules.good_test\nx := time.now_ns()",
		"README.md":              "# Rules",
		".regal/config.yaml":     "rules: {}",
	} {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// The links of a mounted ConfigMap.
	for name, to := range map[string]string{"..data": "..2026_02_14", "good.rego": "..data/good.rego"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	e, err := validate.New(t.Context(), os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(e.Rules()); n != 1 {
		t.Errorf("%d rules, want the one of good.rego", n)
	}
}

func TestRules(t *testing.T) {
	e := newEngine(t, map[string]string{
		"b.rego":   metadata("second-rule", "warn") + always,
		"a/a.rego": metadata("first", "deny") + always,
		"a/b.rego": "package tao.rules.first\nviolation contains {\"path\": [\"a\"], \"message\": \"b\"}",
	}, validate.WithActions(validate.Actions{"first": "audit"}))
	rule := func(id, action, file string) validate.Rule {
		return validate.Rule{ID: id, Title: id, Description: "what it is about", Action: validate.Action(action), Fix: "do something", File: file}
	}
	want := []validate.Rule{rule("first", "deny", "a/a.rego"), rule("second-rule", "warn", "b.rego")}
	if diff := cmp.Diff(want, e.Rules()); diff != "" {
		t.Error(diff)
	}
}

func TestActionsAreChecked(t *testing.T) {
	rules := files(map[string]string{"a.rego": metadata("a", "deny") + always, "b.rego": metadata("b", "deny") + always})
	for name, tc := range map[string]struct {
		actions validate.Actions
		want    string
	}{
		"an unknown rule gets the list of rules":     {validate.Actions{"c": "off"}, `set action of rule "c": unknown rule, want one of a, b`},
		"an unknown action gets the list of actions": {validate.Actions{"a": "block"}, `set action of rule "a": unknown action "block", want one of deny, warn, audit, off`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := validate.New(t.Context(), rules, validate.WithActions(tc.actions))
			if err == nil || err.Error() != tc.want {
				t.Error(err)
			}
		})
	}
}

func TestWithPolicies(t *testing.T) {
	own := func(text string) validate.Option {
		return validate.WithPolicies("custom", files(map[string]string{"own.rego": text}))
	}
	builtin := files(map[string]string{"a.rego": metadata("a", "deny") + always, "tao/data.yaml": "limit: 3"})
	for name, tc := range map[string]struct{ policy, want string }{
		"a rule of one's own stands beside the built-in ones": {metadata("own", "warn") + always, ""},
		"it may use their data":                               {metadata("own", "warn") + always + "x := data.tao.limit", ""},
		"an id that is taken is refused":                      {metadata("a", "warn") + always, "custom/own.rego"},
		"its errors name the place":                           {metadata("own", "warn") + "violation contains x", "custom/own.rego:7"},
		"its syntax errors as well":                           {"package", "of custom"},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := validate.New(t.Context(), builtin, own(tc.policy))
			if tc.want == "" && (err != nil || len(e.Rules()) != 2) {
				t.Fatal(err)
			}
			if tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("%q is missing in: %v", tc.want, err)
			}
		})
	}
}
