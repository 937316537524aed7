package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/validate"
	"github.com/taojob/taojob/policies"
)

const root = "../.."

// TestFresh also proves the examples: without them there are no pages.
func TestFresh(t *testing.T) {
	want, err := files(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	committed, err := filepath.Glob(filepath.Join(root, pagesFolder, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(committed, filepath.Join(root, actionsFile)) {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			t.Fatal(err)
		}
		got[filepath.ToSlash(name)] = string(content)
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("run make docs; the pages and the rules differ (-pages +rules):\n%s", diff)
	}
}

// TestInputs holds the inputs for opa and conftest against the Go types that
// the engine makes its input of: a fact that is named differently there is one
// that no rule ever sees.
func TestInputs(t *testing.T) {
	engine, err := validate.New(t.Context(), policies.FS)
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range engine.Rules() {
		t.Run(rule.ID, func(t *testing.T) {
			input := readInput(t, filepath.Join(root, "examples", "rules", rule.ID, "input.yaml"))
			decision, err := engine.Judge(t.Context(), input)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, v := range decision.Violations {
				got = append(got, v.Rule)
			}
			if diff := cmp.Diff(got, []string{rule.ID}); diff != "" {
				t.Errorf("the rules that find it (-got +want):\n%s", diff)
			}
		})
	}
}

func readInput(t *testing.T, file string) validate.Input {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := yaml.YAMLToJSONStrict(content)
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Object   map[string]any `json:"object"`
		Training *job.Training  `json:"training"`
		Facts    validate.Facts `json:"facts"`
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&document); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return validate.Input{Object: document.Object, Training: document.Training, Facts: document.Facts}
}
