package chart

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBases makes sure that config/ says what the chart says.
func TestBases(t *testing.T) {
	want, err := Bases(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, base := range []string{"certs", "webhook"} {
		files, err := filepath.Glob(filepath.Join(root, "config", base, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got[filepath.Join(base, filepath.Base(path))] = string(content)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("run make manifests; the chart and config/ differ (-chart +config):\n%s", diff)
	}
}

// TestKustomize applies the bases as people do.
func TestKustomize(t *testing.T) {
	before := everything(t)
	kubectl := plane.Assets.Kubectl()
	must(t, "", kubectl, "apply", "-k", filepath.Join(root, "config", "default"), "--dry-run=server")
	if diff := cmp.Diff(before, everything(t)); diff != "" {
		t.Errorf("a trial changed the cluster:\n%s", diff)
	}
}
