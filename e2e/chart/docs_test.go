package chart

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
