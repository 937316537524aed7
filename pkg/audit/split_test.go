package audit

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// gaps are lines that may stand between two documents without being one.
var gaps = []string{
	"", "\n", "# a comment\n", "---\n", "---   \n", "---\t# a comment\n", "...\n", "...  # the end\n",
	"  # indented\n", "---\n%YAML 1.1\n", "...\n%YAML 1.1\n---\n", "\ufeff---\n", "\ufeff# a comment\n",
}

// stream is a text of documents, made line by line, and what Read has to find.
type stream struct {
	strings.Builder
	want []string
}

func (s *stream) gap(lines string) *stream {
	s.WriteString(lines)
	return s
}

// job adds a document; what separates it from the one before has to be there.
func (s *stream) job(head string) *stream {
	name := fmt.Sprintf("job-%d", len(s.want))
	s.WriteString(head)
	s.want = append(s.want, fmt.Sprintf("%d %s", 1+strings.Count(s.String(), "\n"), name))
	s.WriteString("apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: " + name + "\n")
	return s
}

// named says of each object its line and its name.
func named(t *testing.T, objects []Object) []string {
	t.Helper()
	var all []string
	for _, o := range objects {
		var j struct{ Metadata struct{ Name string } }
		if err := json.Unmarshal(o.JSON, &j); err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%d %s", o.Source.Line, j.Metadata.Name))
	}
	return all
}

func (s *stream) check(t *testing.T, end string) {
	t.Helper()
	text := strings.ReplaceAll(s.String(), "\n", end)
	objects, problems := Read([]string{Stdin}, strings.NewReader(text), MaxInventory)
	if len(problems) > 0 {
		t.Fatalf("%q: %v", text, problems)
	}
	if diff := cmp.Diff(s.want, named(t, objects)); diff != "" {
		t.Fatalf("%q: %s", text, diff)
	}
}

// Whatever stands between documents, all of them are found, each on its line.
func TestReadFindsEveryDocument(t *testing.T) {
	for name, end := range map[string]string{
		"with line feeds": "\n", "with the line ends of Windows": "\r\n", "with those of old Macs": "\r",
		"with a separator of Unicode": "\u2028", "with next lines": "\u0085",
	} {
		t.Run(name, func(t *testing.T) {
			for n := range len(gaps) * len(gaps) * len(gaps) {
				lines := gaps[n%len(gaps)] + gaps[n/len(gaps)%len(gaps)] + gaps[n/len(gaps)/len(gaps)]
				first := ""
				if strings.Contains(lines, "%YAML") { // which needs a marker
					first = "---\n"
				}
				(&stream{}).gap(lines).job(first).gap(lines).job("---\n").gap(lines).check(t, end)
			}
		})
	}
}

func TestReadFindsWhatStandsBesideAnEmptyDocument(t *testing.T) {
	pod := "{apiVersion: v1, kind: Pod}\n"
	for name, tc := range map[string]struct {
		in   string
		want []string
	}{
		"after a comment between markers":        {"---\n# Source: x\n---\n" + aJob("a"), []string{"4 batch/v1 Job"}},
		"beside the marker, after an empty one":  {"---\n--- " + pod, []string{"2 v1 Pod"}},
		"before empty ones":                      {pod + "---\n---\n# end\n---\n", []string{"1 v1 Pod"}},
		"JSON, after an empty one":               {"---\n---\n{\"apiVersion\": \"v1\", \"kind\": \"Pod\"}", []string{"3 v1 Pod"}},
		"JSON, after a mark within the file":     {"{\"apiVersion\": \"v1\", \"kind\": \"Pod\"}\n\ufeff{\"apiVersion\": \"v1\", \"kind\": \"Node\"}", []string{"1 v1 Pod", "2 v1 Node"}},
		"after a document that is null":          {"null\n---\n~\n---\n" + pod, []string{"5 v1 Pod"}},
		"of a kind that has another in capitals": {"apiVersion: v1\nkind: Pod\nKind: Node\nAPIVERSION: v2\n", []string{"1 v1 Pod"}},
	} {
		t.Run(name, func(t *testing.T) {
			objects, problems := Read([]string{Stdin}, strings.NewReader(tc.in), MaxManifest)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			if diff := cmp.Diff(tc.want, found(objects)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What would be passed over is told.
func TestReadTellsOfTextBeyondADocument(t *testing.T) {
	for name, in := range map[string]string{
		"after the end of one":                     aJob("a") + "... {apiVersion: v1, kind: Pod}\n",
		"after a bracket too many":                 "{\"apiVersion\": \"v1\", \"kind\": \"Pod\"}}\n{\"apiVersion\": \"v1\", \"kind\": \"Pod\"}",
		"after a bracket of lists":                 "{\"apiVersion\": \"v1\", \"kind\": \"Pod\"}]\n{\"apiVersion\": \"v1\", \"kind\": \"Pod\"}",
		"a marker without a space":                 aJob("a") + "---" + aJob("b"),
		"a directive without end":                  aJob("a") + "%YAML 1.1\n---\n" + aJob("b"),
		"a file that is put on without a line end": strings.TrimSuffix(aJob("a"), "\n") + "\ufeff" + aJob("b"),
	} {
		t.Run(name, func(t *testing.T) {
			objects, problems := Read([]string{Stdin}, strings.NewReader(in), MaxManifest)
			if len(problems) == 0 {
				t.Errorf("no problem, objects %v", found(objects))
			}
		})
	}
}

// FuzzSplit puts documents together with any of the gaps between them.
func FuzzSplit(f *testing.F) {
	f.Add([]byte{2, 3, 255, 3, 2, 3, 255, 255, 6, 10})
	f.Fuzz(func(t *testing.T, choices []byte) {
		s := &stream{}
		for _, choice := range choices[:min(len(choices), 64)] {
			if int(choice) < len(gaps) {
				s.gap(gaps[choice])
			} else {
				s.job("---\n")
			}
		}
		s.gap("---\n")
		for _, end := range []string{"\n", "\r\n", "\r"} {
			s.check(t, end)
		}
	})
}

// FuzzNothingIsPassedOver compares with what a parser of whole streams finds: no
// text may hide an object from us in silence.
func FuzzNothingIsPassedOver(f *testing.F) {
	pod := "{apiVersion: v1, kind: Pod}\n"
	for _, seed := range []string{
		"---\n# a\n---\n" + pod, pod + "...\n" + pod, "--- " + pod + "--- |\n a\n---\n" + pod, "a: |\n ---\n" + pod, "\"a\n--- b\"\n" + pod,
		"\ufeff" + pod + "\ufeff---\r" + pod, "%YAML 1.1\n---\n" + pod + "...\n# a\n" + pod, "--- &a " + pod, "--- !!map\n" + pod + "---\n", "\u2028---\u0085" + pod,
		"{\"apiVersion\": \"v1\", \"kind\": \"Pod\"} {\"apiVersion\": \"v1\", \"kind\": \"Pod\"}", "? a\n---\n? b\n---\n" + pod,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		decoder := yaml.NewDecoder(strings.NewReader(text))
		want := 0
		for {
			var head struct{ APIVersion, Kind string }
			if err := decoder.Decode(&head); err != nil {
				break // what is beyond is broken, or not there
			}
			if head.Kind == "Pod" {
				want++
			}
		}
		objects, problems := Read([]string{Stdin}, strings.NewReader(text), MaxManifest)
		if len(objects) < want && len(problems) == 0 {
			t.Errorf("%d of %d objects are found in %q", len(objects), want, text)
		}
	})
}
