package audit

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)

// sarifOf is the log of a report, checked against the schema of SARIF 2.1.0.
func sarifOf(t *testing.T, r *Report) *sarif.Report {
	t.Helper()
	log, err := sarif.FromString(written(t, r, "sarif", false))
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Validate(); err != nil {
		t.Fatal(err)
	}
	return log
}

func TestSARIFIsOfTheSchema(t *testing.T) {
	for name, in := range map[string]string{
		"with findings":           labelled("a", "") + "        command: [canary]\n",
		"with no Job":             "",
		"with what is no YAML":    "a: [",
		"with a refused Job":      labelled("a", "  annotations: {tao.nvidia.com/nodes: many}\n"),
		"with a Job without YAML": "{\"apiVersion\": \"batch/v1\", \"kind\": \"Job\", \"metadata\": {\"name\": \"a\", \"labels\": {\"tao.nvidia.com/job\": \"\"}}}",
	} {
		t.Run(name, func(t *testing.T) { sarifOf(t, review(t, reviewer(t), in)) })
	}
	r := reviewer(t)
	sarifOf(t, r.Review(t.Context(), []Object{OfJob(live("a", "canary"))}, nil))
}

func TestSARIFPointsAtTheValue(t *testing.T) {
	in := "# a comment\n---\n" + labelled("a", "") + "        env:\n        - {name: A, value: canary}\n"
	result := sarifOf(t, review(t, reviewer(t), in)).Runs[0].Results[0]
	got := result.Locations[0].PhysicalLocation
	raw, err := json.Marshal([]any{got.ArtifactLocation.URI, got.Region.StartLine, got.Region.StartColumn, result.Level, result.RuleID})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(`["stdin",16,28,"error","inline-credentials"]`, string(raw)); diff != "" {
		t.Error(diff)
	}
}
