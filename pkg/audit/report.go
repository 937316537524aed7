// Package audit reads manifests from wherever they are, says of each labelled
// Job what the webhooks would do with it, and writes that down in the format
// that is asked for.
//
// A manifest may hold a credential in the wrong place. So no error and no
// warning of this package quotes a value of a file, and what the rules find to
// be a credential is blotted out of every output.
package audit

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/taojob/taojob/pkg/capacity"
	"github.com/taojob/taojob/pkg/validate"
)

// Source is where an object was read.
type Source struct {
	// File is the path as it was given, or found below a folder that was given;
	// "stdin" for standard input, empty for an object of a cluster.
	File string `json:"file"`
	// Line is where the object begins, counted from 1; 0 in a cluster.
	Line int `json:"line"`
}

// String is file:line, or says that it is an object of a cluster.
func (s Source) String() string {
	if s.File == "" {
		return "in the cluster"
	}
	return fmt.Sprintf("%s:%d", line(s.File), s.Line)
}

// Item is what there is to say of one Job or CronJob.
type Item struct {
	Source Source `json:"source"`
	Kind   string `json:"kind"`
	// Namespace is never empty. Name is generateName where there is no name.
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Selected tells whether the label asks for us. If not, nothing was judged.
	Selected bool `json:"selected"`
	// Allowed is false when a violation denies.
	Allowed bool `json:"allowed"`
	// Violations, Warnings and Skipped are never nil.
	Violations []validate.Violation `json:"violations"`
	Warnings   []string             `json:"warnings"`
	Skipped    []validate.Skipped   `json:"skipped"`
	// Mutated is the object after injection and Service what it gets besides, as
	// JSON objects; nil where there is none, and in a brief review.
	Mutated map[string]any `json:"mutated"`
	Service map[string]any `json:"service"`

	// places are where in the file the violations are, one for each.
	places []place
	// injects are lines about what injection adds; nil when it does not take place.
	injects []string
	// written is the object as its author wrote it, in the form of Mutated.
	written map[string]any
	// apply is what to give to kubectl apply, in order; nothing when part of it
	// had to be blotted out.
	apply []map[string]any
}

// about puts the item's name before a text, where no file says which one is meant.
func (i *Item) about(text string) string {
	if i.Source.File != "" {
		return text
	}
	return i.Kind + " " + i.Namespace + "/" + i.Name + ": " + text
}

// Problem is an input that could not be read or judged, or should be looked at.
type Problem struct {
	// File and Line are where; Line is 0 when the file as a whole is meant, and
	// File empty when none is.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Document counts from 1, and is 0 where there is only one.
	Document int    `json:"document,omitempty"`
	Message  string `json:"message"`
}

// String says where and what: job.yaml:7 (document 2): is not valid YAML.
func (p Problem) String() string {
	at := p.File
	if p.Line > 0 {
		at += ":" + strconv.Itoa(p.Line)
	}
	if p.Document > 0 {
		at += fmt.Sprintf(" (document %d)", p.Document)
	}
	if at == "" {
		return line(p.Message)
	}
	return line(at + ": " + p.Message)
}

// Report is the outcome for all sources.
type Report struct {
	// Items are in the order of the sources, never nil.
	Items []Item `json:"items"`
	// Problems are what had to be left out; nil for none.
	Problems []Problem `json:"errors,omitempty"`
	// Notes are about what was passed over but looks as if it were meant; nil
	// for none. They have no part in the exit code.
	Notes []Problem `json:"notes,omitempty"`
	// Pools are the nodes that are known; nil for none.
	Pools []capacity.Pool `json:"-"`

	// rules are those that were asked.
	rules []validate.Rule
	// at is when the review began.
	at time.Time
}

// The exit codes of a review.
const (
	ExitAllowed  = 0
	ExitDenied   = 1
	ExitBadInput = 2
	ExitNoJob    = 3
)

// ExitCode sums the report up: bad input outweighs a violation that leads to
// failOn (Deny or Warn) or worse, since there may be more; that nothing was
// selected matters only if nothing else is wrong.
func (r *Report) ExitCode(failOn validate.Action) int {
	selected := func(i Item) bool { return i.Selected }
	warned := func(v validate.Violation) bool { return v.Action == validate.Warn }
	fails := func(i Item) bool {
		return !i.Allowed || failOn == validate.Warn && slices.ContainsFunc(i.Violations, warned)
	}
	switch {
	case len(r.Problems) > 0:
		return ExitBadInput
	case slices.ContainsFunc(r.Items, fails):
		return ExitDenied
	case !slices.ContainsFunc(r.Items, selected):
		return ExitNoJob
	}
	return ExitAllowed
}
