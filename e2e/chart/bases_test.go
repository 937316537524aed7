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

// TestKustomize applies the bases as people do, and finds what the chart makes.
func TestKustomize(t *testing.T) {
	before := everything(t)
	kubectl, config := plane.Assets.Kubectl(), filepath.Join(root, "config")
	must(t, "", kubectl, "apply", "-k", filepath.Join(config, "default"), "--dry-run=server")
	settle(t, before)
	must(t, "", kubectl, "apply", "-k", filepath.Join(config, "default"))
	if diff := cmp.Diff(sorted(installed, certificates["cert-manager"]), made(t, before)); diff != "" {
		t.Errorf("what the bases make (-chart +config):\n%s", diff)
	}
	for _, base := range []string{"webhook", "certs"} { // not the namespace, which other tests use
		must(t, "", kubectl, "delete", "-k", filepath.Join(config, base))
	}
	settle(t, before)
}
