package audit

import (
	"fmt"
	"io"
	"strings"
)

// Style is how a report is written.
type Style struct {
	// Color allows terminal colors.
	Color bool
	// Notes takes what has no place in the output itself, such as the denials
	// beside the YAML of allowed Jobs.
	Notes io.Writer
}

type format struct {
	name, help string
	write      func(io.Writer, *Report, Style) error
}

// formats feeds the flag's help, its completion and the error about a format
// that is not there.
var formats = []format{
	{"text", "what is wrong, for people", writeText},
	{"diff", "what injection changes", writeDiff},
	{"yaml", "the allowed Jobs as injected, to apply", writeYAML},
	{"json", "everything, for programs", writeJSON},
}

// Formats returns the names of the formats; each is followed by a tab and what
// it shows if described is set.
func Formats(described bool) []string {
	var names []string
	for _, f := range formats {
		name := f.name
		if described {
			name += "\t" + f.help
		}
		names = append(names, name)
	}
	return names
}

// CheckFormat returns an error that lists the formats if name is none of them.
func CheckFormat(name string) error {
	for _, f := range formats {
		if f.name == name {
			return nil
		}
	}
	return fmt.Errorf("unknown output format %q, want one of %s", name, strings.Join(Formats(false), ", "))
}

// Write writes the report to w in the format of that name.
func (r *Report) Write(w io.Writer, name string, style Style) error {
	for _, f := range formats {
		if f.name == name {
			return f.write(w, r, style)
		}
	}
	return CheckFormat(name)
}
