package audit

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Style is how a report is written.
type Style struct {
	// Color allows terminal colors.
	Color bool
	// Notes takes what has no place in the output itself, such as the denials
	// beside the YAML of allowed Jobs.
	Notes io.Writer
	// About heads what is passed on, such as the HTML page.
	About About
}

type format struct {
	name, help string
	write      func(io.Writer, *Report, Style) error
}

// Formats are those that a command writes. They feed its flag's help, its
// completion and the error about a format that is not there.
type Formats []format

// records are the formats that every command writes.
var records = Formats{
	{"json", "everything, for programs", writeJSON},
	{"sarif", "findings with their lines, for code scanning", writeSARIF},
	{"junit", "a test for each Job, for GitLab, Jenkins and others", writeJUnit},
	{"github", "annotations of a pull request, for GitHub Actions", writeGitHub},
	{"openreports", "Reports of openreports.io, to apply", writeOpenReports},
}

// ReviewFormats show each Job, and what becomes of it.
var ReviewFormats = slices.Concat(Formats{
	{"text", "what is wrong, for people", writeText},
	{"diff", "what injection changes", writeDiff},
	{"yaml", "the allowed Jobs as injected, to apply", writeYAML},
}, records)

// AuditFormats show what is found, rule by rule.
var AuditFormats = slices.Concat(Formats{
	{"text", "what is found by rule, for people", writeFindings},
	{"html", "a page to read, print and mail", writeHTML},
}, records)

// Names returns the names of the formats; each is followed by a tab and what
// it shows if described is set.
func (f Formats) Names(described bool) []string {
	var names []string
	for _, one := range f {
		name := one.name
		if described {
			name += "\t" + one.help
		}
		names = append(names, name)
	}
	return names
}

// Check returns an error that lists the formats if name is none of them.
func (f Formats) Check(name string) error {
	if slices.ContainsFunc(f, func(one format) bool { return one.name == name }) {
		return nil
	}
	return fmt.Errorf("unknown output format %q, want one of %s", name, strings.Join(f.Names(false), ", "))
}

// Write writes the report to w in the format of that name, which must be one of f.
func (f Formats) Write(w io.Writer, name string, r *Report, style Style) error {
	for _, one := range f {
		if one.name == name {
			return one.write(w, r, style)
		}
	}
	return f.Check(name)
}
