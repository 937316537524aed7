package doctor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// formats are the ways to write a report, by the name that people give.
var formats = map[string]func(w io.Writer, r Report, colour bool) error{
	"text": writeText,
	"json": writeJSON,
}

// Formats lists the names that Writer knows, sorted.
func Formats() []string { return slices.Sorted(maps.Keys(formats)) }

// Writer returns what writes a report in a format; colour is for terminals. An
// unknown name is an error that names the known ones.
func Writer(format string) (func(w io.Writer, r Report, colour bool) error, error) {
	if write, ok := formats[format]; ok {
		return write, nil
	}
	return nil, fmt.Errorf("unknown output format %q: want one of %s", format, strings.Join(Formats(), ", "))
}

func writeJSON(w io.Writer, r Report, _ bool) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// signs show a status to people: by form, and on a terminal by colour as well.
var signs = map[Status]struct {
	sign   string
	colour int // ANSI's
}{
	OK: {"✓", 32}, Warn: {"!", 33}, Fail: {"✗", 31}, Unknown: {"?", 36},
}

// nameWidth is that of the longest check.
const nameWidth = len("certificate")

func writeText(w io.Writer, r Report, colour bool) error {
	var out bytes.Buffer
	counts := map[Status]int{}
	for _, f := range r.Findings {
		counts[f.Status]++
		sign := signs[f.Status].sign
		if colour {
			sign = fmt.Sprintf("\x1b[%dm%s\x1b[0m", signs[f.Status].colour, sign)
		}
		fmt.Fprintf(&out, "%s %-*s  %s\n", sign, nameWidth, f.Check, f.Message)
		if f.Fix != "" {
			fmt.Fprintf(&out, "  %-*s  fix: %s\n", nameWidth, "", f.Fix)
		}
	}
	fmt.Fprintf(&out, "\n%d ok, %d to look at, %d to fix, %d unknown\n", counts[OK], counts[Warn], counts[Fail], counts[Unknown])
	_, err := out.WriteTo(w)
	return err
}
