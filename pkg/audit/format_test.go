package audit

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/validate"
)

var update = flag.Bool("update", false, "write the expected outputs anew")

// allFormats are those of all commands, each under a name of its own.
var allFormats = slices.Concat(ReviewFormats, Formats{{"findings", "", writeFindings}})

// written is a report in a format, its notes below it.
func written(t *testing.T, r *Report, format string, color bool) string {
	t.Helper()
	var out, notes bytes.Buffer
	if err := slices.Concat(allFormats, AuditFormats[1:2]).Write(&out, format, r, Style{Color: color, Notes: &notes}); err != nil {
		t.Fatal(err)
	}
	if notes.Len() > 0 {
		return out.String() + "# notes\n" + notes.String()
	}
	return out.String()
}

// TestFormats writes every testdata/*.in.yaml in every format.
func TestFormats(t *testing.T) {
	inputs, err := filepath.Glob("testdata/*.in.yaml")
	if err != nil {
		t.Fatal(err)
	}
	expected := map[string]bool{}
	for _, in := range inputs {
		for _, format := range allFormats.Names(false) {
			golden := strings.TrimSuffix(in, ".in.yaml") + "." + format + ".out"
			expected[golden] = true
			t.Run(filepath.Base(golden), func(t *testing.T) {
				objects, problems := Read([]string{in}, nil, MaxManifest)
				got := written(t, reviewer(t).Review(t.Context(), objects, problems), format, false)
				if *update {
					if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), got); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
	outputs, err := filepath.Glob("testdata/*.out")
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range outputs {
		if !expected[out] {
			t.Errorf("%s belongs to no input and format", out)
		}
	}
}

// What is written to be applied must read as what was injected.
func TestYAMLReadsBack(t *testing.T) {
	report := review(t, reviewer(t), labelled("a", twoNodes))
	again := review(t, reviewer(t), written(t, report, "yaml", false))
	if len(again.Items) != 1 {
		t.Fatal(again.Problems)
	}
	if diff := cmp.Diff(report.Items[0].Mutated, again.Items[0].written); diff != "" {
		t.Errorf("it is not what was injected: %s", diff)
	}
	if diff := cmp.Diff(again.Items[0].written, again.Items[0].Mutated); diff != "" {
		t.Errorf("injecting it again changes it: %s", diff)
	}
}

func TestColor(t *testing.T) {
	report := review(t, reviewer(t), labelled("a", twoNodes)+"        command: [canary]\n")
	for _, format := range allFormats.Names(false) {
		if strings.Contains(written(t, report, format, false), "\x1b") {
			t.Errorf("%s is colored without a terminal", format)
		}
		want := !slices.Contains(records.Names(false), format)
		if colored := strings.Contains(written(t, report, format, true), "\x1b[31m"); colored != want {
			t.Errorf("%s colored %t on a terminal", format, colored)
		}
	}
}

func TestUnknownFormat(t *testing.T) {
	err := ReviewFormats.Write(nil, "xml", &Report{}, Style{})
	if err == nil || err.Error() != `unknown output format "xml", want one of text, diff, yaml, json, sarif, junit, github, openreports` {
		t.Error(err)
	}
}

// TestNothingFoundIsPrinted plants a credential at places from which it could
// come back, and looks for it in all that is written.
func TestNothingFoundIsPrinted(t *testing.T) {
	const secret = "canary-sings<&>\"loud"
	quoted, err := json.Marshal(secret)
	if err != nil {
		t.Fatal(err)
	}
	q := string(quoted)
	env := func(value string) string { return "        env: [{name: A, value: " + value + "}]\n" }
	for name, in := range map[string]string{
		"in an env value":                       labelled("a", "") + env(q),
		"with blanks around it":                 labelled("a", "") + env(`"`+strings.Trim(q, `"`)+`  "`),
		"again within another string":           labelled("a", "  annotations: {x: "+`"see `+strings.Trim(q, `"`)+` there"`+"}\n") + env(q),
		"again within JSON in a string":         labelled("a", "  annotations: {x: '{\"env\": "+q+"}'}\n") + env(q),
		"in an annotation with dots":            labelled("a", "  annotations: {\"a.b/c[0]\": "+q+"}\n"),
		"in what injection repeats":             labelled("a", "  annotations: {tao.nvidia.com/results-dir: '/canary-sings'}\n") + env("canary-sings"),
		"in a Job that is refused otherwise":    labelled("a", "  annotations: {tao.nvidia.com/nodes: "+q+"}\n"),
		"in a CronJob":                          "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: c}\nspec: {jobTemplate: {metadata: {labels: {tao.nvidia.com/job: x}}, spec: {template: {spec: {containers: [{name: a, args: [" + q + "]}]}}}}}\n",
		"in the key of an annotation":           labelled("a", "  annotations: {canary-sings-a-song: x, other: see canary-sings-a-song}\n"),
		"in the name of an annotation of ours":  labelled("a", "  annotations: {tao.nvidia.com/canary-sings-a-song: x}\n"),
		"in one on the pods":                    labelled("a", "") + "    metadata: {annotations: {tao.nvidia.com/canary-sings-a-song: x}}\n",
		"in a key, and again in another one":    labelled("a", "  annotations: {canary-sings-a-song: x, canary-sings-a-song-too: x}\n") + "      nodeSelector: {canary-sings-a-song: x}\n",
		"in a generated name, where it is text": strings.Replace(labelled("canary-sings-", ""), "name:", "generateName:", 1),
	} {
		t.Run(name, func(t *testing.T) {
			r := reviewer(t)
			report := review(t, r, in)
			if len(report.Items) != 1 || len(report.Items[0].Violations) == 0 {
				t.Fatalf("nothing found: %v", report.Problems)
			}
			for _, format := range append(allFormats.Names(false), "html") {
				for action := range []bool{false, true} { // an allowed Job is written out
					report.Items[0].Allowed = action == 1
					if text := written(t, report, format, false); strings.Contains(text, "sings") {
						t.Errorf("%s prints it:\n%s", format, text)
					}
				}
			}
		})
	}
}

// A short credential is part of many a word: only the credential itself goes.
func TestAShortCredentialLeavesPathsAlone(t *testing.T) {
	item := Item{
		Violations: []validate.Violation{{Rule: credentialRule, Path: "a.password"}},
		written:    map[string]any{"a": map[string]any{"password": "root"}},
		Mutated: map[string]any{"a": map[string]any{
			"password": "root", "mountPath": "/root/data", "last": `{"password":"root"}`, "again": " root ",
		}},
	}
	item.redact()
	want := map[string]any{"a": map[string]any{
		"password": redacted, "mountPath": "/root/data", "last": redacted, "again": redacted,
	}}
	if diff := cmp.Diff(want, item.Mutated); diff != "" {
		t.Error(diff)
	}
}

// One key of many was found: what is known to be none stays, and so do sentences.
func TestACredentialInAKeyLeavesOtherKeysAlone(t *testing.T) {
	item := review(t, reviewer(t), labelled("a", "  annotations: {canary-of-many-words: x, tao.nvidia.com/nodes: \"1\", tao.nvidia.com/node: \"2\", team: red}\n")).Items[0]
	annotations := item.Mutated["metadata"].(map[string]any)["annotations"].(map[string]any)
	delete(annotations, job.Injected)
	want := map[string]any{redacted: redacted, "tao.nvidia.com/nodes": "1", "tao.nvidia.com/node": redacted, "team": redacted}
	if diff := cmp.Diff(want, annotations); diff != "" {
		t.Error(diff)
	}
	if got := fmt.Sprint(item.Warnings); !strings.Contains(got, "is tao.nvidia.com/nodes meant?") {
		t.Error(got)
	}
}

func TestTextCannotSteerATerminal(t *testing.T) {
	report := review(t, reviewer(t), labelled(`"a\e[2Jb\u202e"`, "")+"metadata2: {\"x\\e[1m\": 1}\n")
	if text := written(t, report, "text", false); strings.ContainsAny(text, "\x1b\u202e") {
		t.Errorf("%q", text)
	}
	for _, format := range allFormats.Names(false) { // data formats escape it, and keep the rest as it is
		if text := written(t, report, format, false); strings.Contains(text, "\x1b") {
			t.Errorf("%s: %q", format, text)
		}
	}
}

func TestRedactionKeepsTheRest(t *testing.T) {
	item := review(t, reviewer(t), labelled("a", "")+"        command: [canary, b]\n").Items[0]
	raw, err := yaml.Marshal(item.Mutated)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"- (redacted)\n", "- b\n", "kind: Job\n", "name: a\n"} {
		if !strings.Contains(string(raw), line) {
			t.Errorf("%q is not in\n%s", line, raw)
		}
	}
}
