package chart

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sigsyaml "sigs.k8s.io/yaml"
)

// TestPage makes sure that the chart's page tells the values that there are,
// and something about each.
func TestPage(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "tool", "-modfile="+filepath.Join(root, "tools", "helm-docs", "go.mod"), "helm-docs",
		"--chart-search-root", folder, "--dry-run", "--sort-values-order", "file", "--log-level", "warning")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOWORK=off")
	made, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "chart.md"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.TrimSpace(string(page)), strings.TrimSpace(string(made))); diff != "" {
		t.Errorf("run make docs; the page and the chart differ (-page +chart):\n%s", diff)
	}
	for line := range strings.Lines(string(page)) {
		if strings.HasSuffix(strings.TrimSpace(line), "|  |") {
			t.Errorf("a value is not described: %s", line)
		}
	}
}

// schema is what the chart says of a value.
type schema struct {
	Properties map[string]schema `json:"properties"`
}

// TestDefaults makes sure that every value that may be set stands in
// values.yaml, from which the page is made.
func TestDefaults(t *testing.T) {
	read := func(file string, into any) {
		content, err := os.ReadFile(filepath.Join(root, folder, file))
		if err != nil {
			t.Fatal(err)
		}
		if err := sigsyaml.Unmarshal(content, into); err != nil {
			t.Fatal(err)
		}
	}
	var known schema
	var values map[string]any
	read("values.schema.json", &known)
	read("values.yaml", &values)
	delete(known.Properties, "global") // a chart above this one may set it
	for _, path := range known.missing("", values) {
		t.Errorf("%s is not in values.yaml", path)
	}
}

// missing lists which of a value's properties are not there. Where a value is
// empty by default, as a whole is described what may be in it.
func (s schema) missing(at string, value map[string]any) []string {
	var paths []string
	for name, property := range s.Properties {
		inner, there := value[name]
		if !there {
			paths = append(paths, at+"."+name)
			continue
		}
		if below, ok := inner.(map[string]any); ok && len(below) > 0 {
			paths = append(paths, property.missing(at+"."+name, below)...)
		}
	}
	slices.Sort(paths)
	return paths
}
