package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"
)

// document is one document of a file, or one value of a JSON stream.
type document struct {
	file string
	// line is where it begins in the file, counted from 1.
	line int
	// number counts from 1; it is 0 when the file has but this one.
	number int
	// found tells that the file was found in a folder.
	found bool
	text  []byte
	// json is the document as JSON, and root its YAML node, nil if there is none.
	json []byte
	root *yaml.Node
}

// documents takes a file apart and reads each document on its own, so that a
// broken one does not hide the others.
func (r *reader) documents(file string, text []byte, found bool) {
	parts := split(text)
	for i, part := range parts {
		d := &document{file: file, line: part.line, found: found, text: part.text}
		if len(parts) > 1 {
			d.number = i + 1
		}
		if r.jsonStream(d) {
			continue
		}
		if p := d.parse(); p != nil {
			r.fail(*p)
			continue
		}
		r.expand(d)
	}
}

// jsonStream reads d as one or more JSON values; false when it is none. JSON
// goes its own way because YAML parsers do not take all of its escapes.
func (r *reader) jsonStream(d *document) bool {
	text := bytes.TrimSpace(bytes.TrimPrefix(d.text, []byte("---")))
	if len(text) == 0 || text[0] != '{' {
		return false
	}
	offset := bytes.IndexByte(d.text, '{')
	var values []document
	for decoder := json.NewDecoder(bytes.NewReader(d.text[offset:])); ; {
		before := offset + int(decoder.InputOffset())
		var raw json.RawMessage
		if err := decoder.Decode(&raw); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return false
		}
		before += bytes.IndexByte(d.text[before:], '{')
		value := *d
		value.json, value.text = raw, raw
		value.line += bytes.Count(d.text[:before], []byte("\n"))
		if len(raw) <= MaxManifest {
			value.root, _ = node(raw) // only for lines; what YAML does not take of JSON, goes without
		}
		values = append(values, value)
	}
	for i := range values {
		if p := values[i].duplicates(); p != nil {
			r.fail(*p)
			continue
		}
		r.expand(&values[i])
	}
	return true
}

// parse turns YAML into JSON as kubectl does.
func (d *document) parse() *Problem {
	root, err := node(d.text)
	if err != nil {
		return d.broken(err)
	}
	d.root = root
	if d.found && (child(root, step{key: "apiVersion"}) == nil || child(root, step{key: "kind"}) == nil) {
		d.json = []byte("null") // of no concern, whatever else may be in it
		return nil
	}
	if p := d.tooLarge(); p != nil {
		return p
	}
	if p := d.duplicates(); p != nil {
		return p
	}
	if d.json, err = sigsyaml.YAMLToJSON(d.text); err != nil {
		return d.broken(err)
	}
	return nil
}

// errMore tells that text was to be one document and holds another.
var errMore = errors.New("yaml: another document begins within this one")

// node parses one document; nil for an empty one. That there is no other is
// made sure of, since nobody would look at it.
func node(text []byte) (*yaml.Node, error) {
	var n, more yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&n); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if err := decoder.Decode(&more); err == nil {
		return nil, errMore
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(n.Content) == 0 {
		return nil, nil
	}
	return n.Content[0], nil
}

var yamlError = regexp.MustCompile(`^(?:error converting YAML to JSON: )?yaml: (?:line ([0-9]+): )?(.*)`)

// constant are the beginnings of the parser's messages that hold no value.
var constant = regexp.MustCompile(`^(found|did not find|could not find|mapping|block|control characters|document contains excessive|exceeded max depth|another document) `)

// broken says where YAML is broken, in words that hold nothing of the file.
func (d *document) broken(err error) *Problem {
	p := d.problem("is not valid YAML")
	if m := yamlError.FindStringSubmatch(err.Error()); m != nil {
		if n, noNumber := strconv.Atoi(m[1]); noNumber == nil {
			p.Line = d.line + max(n, lastLine(d.text, err)) - 1
		}
		switch {
		case constant.MatchString(m[2]):
			p.Message += ": " + m[2]
		case strings.HasPrefix(m[2], "unknown anchor"):
			p.Message += ": an alias without its anchor"
		case strings.HasPrefix(m[2], "invalid map key"):
			p.Message += ": a key that is no string"
		}
	}
	if bytes.Contains(d.text, []byte("{{")) {
		p.Message += "; it looks like a template: render it first, as in `helm template CHART | kubectl tao review -f -`"
	}
	return p
}

// lastLine returns the number of lines up to which text has to be read to see
// the error: the parser itself names the line where the broken part begins. It
// is 0 when it is not the parser's, and for a text so large that this would take long.
func lastLine(text []byte, want error) int {
	if _, err := node(text[:min(len(text), 1<<20)]); err == nil || err.Error() != want.Error() {
		return 0
	}
	var ends []int
	for line := range bytes.Lines(text) {
		ends = append(ends, len(line))
		if n := len(ends); n > 1 {
			ends[n-1] += ends[n-2]
		}
	}
	return 1 + sort.Search(len(ends)-1, func(n int) bool {
		_, err := node(text[:ends[n]])
		return err != nil && err.Error() == want.Error()
	})
}

func (d *document) problem(message string) *Problem {
	return &Problem{File: d.file, Line: d.line, Document: d.number, Message: message}
}
