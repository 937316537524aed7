package main

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// eraseLine is ANSI's for: go to the line's start, and empty it.
const eraseLine = "\r\x1b[K"

// status shows on one line of a terminal what is being waited for, and clears
// it away. Where w is no terminal, both do nothing.
func status(w io.Writer) (show func(what string), erase func()) {
	if !isTerminal(w) {
		return func(string) {}, func() {}
	}
	return func(what string) { fmt.Fprint(w, eraseLine, what, " …") }, func() { fmt.Fprint(w, eraseLine) }
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
