package suite

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taojob/taojob/e2e/node"
)

// diagnosis is what kubectl tao doctor says, by check: its worst status.
func (s *site) diagnosis(t *testing.T) (byCheck map[string]string, err error) {
	t.Helper()
	plugin := filepath.Join(t.TempDir(), "kubectl-tao")
	if err := node.Compile(t.Context(), s.root, "cmd/kubectl-tao", plugin); err != nil {
		t.Fatal(err)
	}
	out, err := s.command(t.Context(), "", plugin, "doctor", "-n", "default", "-o", "json")
	var report struct {
		Findings []struct{ Check, Status, Message string }
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("read the report: %v: %s", err, out)
	}
	worse := map[string]int{"ok": 1, "unknown": 2, "warn": 3, "fail": 4}
	byCheck = map[string]string{}
	for _, f := range report.Findings {
		t.Logf("%s %s: %s", f.Status, f.Check, f.Message)
		if worse[f.Status] > worse[byCheck[f.Check]] {
			byCheck[f.Check] = f.Status
		}
	}
	return byCheck, err
}

// fit is what the doctor says of our node: nobody advertises its GPUs.
func fit() map[string]string {
	return map[string]string{
		"version": "ok", "gpus": "warn", "runtime": "ok", "webhooks": "ok", "replicas": "ok", "certificate": "ok", "permissions": "ok",
		"injection": "ok", "refusal": "ok", "dns": "ok", "rendezvous": "ok", "namespace": "ok",
	}
}

// healthy asks the doctor about an installation that works.
func (s *site) healthy(t *testing.T) {
	if s.node == nil {
		t.Skip("what ails somebody else's cluster is not ours to say")
	}
	got, err := s.diagnosis(t)
	if err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(fit(), got); diff != "" {
		t.Error(diff)
	}
}

// ill asks the doctor while no webhook answers.
func (s *site) ill(t *testing.T) {
	t.Helper()
	if s.node == nil {
		return
	}
	want := fit()
	want["replicas"], want["injection"], want["refusal"] = "fail", "fail", "unknown"
	got, err := s.diagnosis(t)
	if err == nil {
		t.Error("the doctor's exit code is 0")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
