package audit

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/pmezard/go-difflib/difflib"

	"github.com/taojob/taojob/pkg/job"
)

// contextLines is how many unchanged lines are shown around a change.
const contextLines = 1

// writeDiff writes for each labelled Job what injection changes, below what is
// wrong with it. Both sides are written alike: keys sorted, comments left out.
func writeDiff(w io.Writer, r *Report, style Style) error {
	var out bytes.Buffer
	p := palette(style.Color)
	for n := range r.Items {
		i := &r.Items[n]
		i.text(&out, p)
		if i.Mutated == nil {
			continue
		}
		text, err := i.diff()
		if err != nil {
			return err
		}
		for line := range strings.Lines(text) {
			out.WriteString(p.diffLine(line))
		}
	}
	fmt.Fprintln(&out, r.summary())
	_, err := out.WriteTo(w)
	return err
}

// diff compares an item with what it becomes, its Service included.
func (i *Item) diff() (string, error) {
	text, err := unified(i.Source.File, i.Kind+"/"+i.Name+" as injected", unrecorded(i.written), unrecorded(i.Mutated))
	if err != nil || i.Service == nil {
		return text, err
	}
	service, err := unified("/dev/null", "Service/"+name(i.Service), nil, i.Service)
	return text + service, err
}

// unrecorded is object without the record of what was injected, which would
// say again what the diff shows.
func unrecorded(object map[string]any) map[string]any {
	metadata, _ := object["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	if _, ok := annotations[job.Injected]; !ok {
		return object
	}
	object, metadata, annotations = maps.Clone(object), maps.Clone(metadata), maps.Clone(annotations)
	object["metadata"], metadata["annotations"] = metadata, annotations
	if delete(annotations, job.Injected); len(annotations) == 0 {
		delete(metadata, "annotations")
	}
	return object
}

func name(object map[string]any) string {
	metadata, _ := object["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	return name
}

func unified(from, to string, a, b map[string]any) (string, error) {
	before, err := lines(a)
	if err != nil {
		return "", err
	}
	after, err := lines(b)
	if err != nil {
		return "", err
	}
	return difflib.GetUnifiedDiffString(difflib.UnifiedDiff{A: before, B: after, FromFile: line(from), ToFile: line(to), Context: contextLines})
}

// diffLine paints a line of a diff.
func (p palette) diffLine(line string) string {
	color := ""
	switch line[0] {
	case '+':
		color = green
	case '-':
		color = red
	case '@':
		color = dim
	default:
		return line
	}
	return p.paint(color, strings.TrimSuffix(line, "\n")) + "\n"
}
