package audit

import (
	"bytes"
	"iter"
	"regexp"
	"strings"
	"unicode/utf8"
)

// part is what stands between two places where a YAML stream may be cut.
type part struct {
	// line is where it begins in the file, counted from 1.
	line int
	text []byte
}

var (
	startMarker = regexp.MustCompile(`^---([ \t\r\n\x{85}\x{2028}\x{2029}]|$)`)
	endMarker   = regexp.MustCompile(`^\.\.\.[ \t]*(#.*)?[\r\n\x{85}\x{2028}\x{2029}]*$`)
)

// splitter cuts a YAML stream into parts.
type splitter struct {
	text  []byte
	parts []part
	// start and line are where the part at hand begins.
	start, line int
	// begun tells that it has its marker, and filled that it holds more than
	// comments and directives.
	begun, filled bool
}

// split cuts a YAML stream where a document begins or ends. Comments and
// directives before a marker stay with the document that follows it; what
// holds nothing else is dropped, however often that is.
func split(text []byte) []part {
	s := splitter{text: text, line: 1}
	at, line := 0, 0
	for raw := range yamlLines(text) {
		line++
		s.add(raw, at, line)
		at += len(raw)
	}
	s.flush(at)
	return s.parts
}

// add looks at one line, which begins at an offset of the text.
func (s *splitter) add(raw []byte, at, line int) {
	content := raw
	switch {
	case raw[0] == '-' && startMarker.Match(raw):
		if s.begun || s.filled {
			s.flush(at)
			s.start, s.line = at, line
		}
		s.begun, content = true, raw[3:]
	case raw[0] == '.' && endMarker.Match(raw):
		s.flush(at)
		s.start, s.line = at+len(raw), line+1
		return
	case raw[0] == '%' && s.begun && !s.filled: // of the next document, as this one is empty
		s.flush(at)
		s.start, s.line = at, line
		return
	}
	content = bytes.TrimSpace(content)
	s.filled = s.filled || len(content) > 0 && content[0] != '#' && (content[0] != '%' || s.begun)
}

// flush ends the part at hand, and drops it if it is empty.
func (s *splitter) flush(end int) {
	if s.filled {
		s.parts = append(s.parts, part{s.line, s.text[s.start:end]})
	}
	s.begun, s.filled = false, false
}

// separators are the characters of Unicode that end a line of YAML.
var separators = []string{"\u0085", "\u2028", "\u2029"}

// yamlLines are the lines of text with their ends, as YAML parsers see them: a
// carriage return alone ends one, and so do the separators.
func yamlLines(text []byte) iter.Seq[[]byte] {
	odd := bytes.Count(text, []byte("\r")) > bytes.Count(text, []byte("\r\n"))
	for _, separator := range separators {
		odd = odd || bytes.Contains(text, []byte(separator))
	}
	if !odd {
		return bytes.Lines(text) // much faster
	}
	return func(yield func([]byte) bool) {
		for len(text) > 0 {
			n := oddLine(text)
			if !yield(text[:n]) {
				return
			}
			text = text[n:]
		}
	}
}

// oddLine is the length of text's first line with its end.
func oddLine(text []byte) int {
	n := bytes.IndexAny(text, "\n\r"+strings.Join(separators, ""))
	switch {
	case n < 0:
		return len(text)
	case bytes.HasPrefix(text[n:], []byte("\r\n")):
		return n + 2
	}
	_, size := utf8.DecodeRune(text[n:])
	return n + size
}
