package audit

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/taojob/taojob/pkg/validate"
)

// The elements of JUnit's XML that CI systems read.
type (
	junitSuites struct {
		XMLName  xml.Name      `xml:"testsuites"`
		Name     string        `xml:"name,attr"`
		Tests    int           `xml:"tests,attr"`
		Failures int           `xml:"failures,attr"`
		Errors   int           `xml:"errors,attr"`
		Suites   []*junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string       `xml:"name,attr"`
		Class   string       `xml:"classname,attr"`
		File    string       `xml:"file,attr,omitempty"`
		Failure *junitResult `xml:"failure,omitempty"`
		Error   *junitResult `xml:"error,omitempty"`
		Out     string       `xml:"system-out,omitempty"`
	}
	junitResult struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// writeJUnit writes a suite for each file, or namespace of a cluster, and in it
// a case for each Job. What denies fails it; the rest is its output. The encoder
// replaces what XML cannot hold.
func writeJUnit(w io.Writer, r *Report, _ Style) error {
	all := junitSuites{Name: "kubectl tao audit"}
	for n := range r.Items {
		if i := &r.Items[n]; i.Selected {
			file := artifactOrNone(i.Source.File)
			all.add(cmp.Or(file, i.Namespace), junitCase{
				Name: line(i.Kind + " " + i.Namespace + "/" + i.Name), File: file,
				Failure: i.junitFailure(), Out: i.junitOutput(),
			})
		}
	}
	for _, p := range r.Problems {
		file := artifactOrNone(p.File)
		all.add(cmp.Or(file, "cluster"), junitCase{
			Name: line(p.String()), File: file, Error: &junitResult{Message: line(p.Message), Type: "not judged"},
		})
	}
	var out bytes.Buffer
	out.WriteString(xml.Header)
	e := xml.NewEncoder(&out)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	out.WriteByte('\n')
	_, err := out.WriteTo(w)
	return err
}

func artifactOrNone(file string) string {
	if file == "" {
		return ""
	}
	return artifact(file)
}

// add adds a case to the suite of that name, which may be a new one.
func (all *junitSuites) add(suite string, c junitCase) {
	at := slices.IndexFunc(all.Suites, func(s *junitSuite) bool { return s.Name == suite })
	if at < 0 {
		at = len(all.Suites)
		all.Suites = append(all.Suites, &junitSuite{Name: suite})
	}
	s := all.Suites[at]
	c.Class = suite
	s.Cases = append(s.Cases, c)
	s.Tests, all.Tests = s.Tests+1, all.Tests+1
	if c.Failure != nil {
		s.Failures, all.Failures = s.Failures+1, all.Failures+1
	}
	if c.Error != nil {
		s.Errors, all.Errors = s.Errors+1, all.Errors+1
	}
}

// junitFailure holds what denies the item; nil when nothing does.
func (i *Item) junitFailure() *junitResult {
	var rules, lines []string
	for n, v := range i.Violations {
		if v.Action == validate.Deny {
			rules = append(rules, v.Rule)
			lines = append(lines, i.sentence(n))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return &junitResult{
		Message: number(len(lines), "denial") + ": " + strings.Join(slices.Compact(rules), ", "),
		Type:    string(validate.Deny), Text: strings.Join(lines, "\n"),
	}
}

// junitOutput is what else there is to say.
func (i *Item) junitOutput() string {
	var lines []string
	for n, v := range i.Violations {
		if v.Action != validate.Deny {
			lines = append(lines, i.sentence(n))
		}
	}
	for _, warning := range i.Warnings {
		lines = append(lines, "warning: "+line(warning))
	}
	for _, s := range i.Skipped {
		lines = append(lines, line("not judged: "+s.Rule+": "+s.Reason))
	}
	return strings.Join(lines, "\n")
}

// sentence is a violation on one line: action, rule, place, message and fix.
func (i *Item) sentence(n int) string {
	v := i.Violations[n]
	return line(fmt.Sprintf("%s %s: %s%s: %s; fix: %s", v.Action, v.Rule, i.places[n], v.Path, spelled(&v), v.Fix))
}
