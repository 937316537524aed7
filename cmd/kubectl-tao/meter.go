package main

import (
	"fmt"
	"io"
)

// meterStep is the number of Jobs between two lines of progress.
const meterStep = 100

// meter shows on a terminal how many Jobs are judged, on one line that it takes
// away at the end; nil where nobody looks on.
func meter(w io.Writer) func(done, all int) {
	if !isTerminal(w) {
		return nil
	}
	return func(done, all int) { show(w, done, all) }
}

func show(w io.Writer, done, all int) {
	switch {
	case all < meterStep:
	case done == all:
		fmt.Fprint(w, eraseLine)
	case done%meterStep == 0:
		fmt.Fprintf(w, "\rjudged %d of %d Jobs", done, all)
	}
}
