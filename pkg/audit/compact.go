package audit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	goyaml "go.yaml.in/yaml/v3"
)

// compactWidth is up to which length something nested stands on one line.
const compactWidth = 100

// lines is an object as lines of YAML, none for nil. What is short stands on
// one line, {name: A, value: b}, so that a diff shows a variable as a line.
func lines(object map[string]any) ([]string, error) {
	if object == nil {
		return nil, nil
	}
	var root goyaml.Node
	if err := root.Encode(object); err != nil {
		return nil, fmt.Errorf("write as YAML: %w", err)
	}
	compactFields(&root, 0)
	var out bytes.Buffer
	encoder := goyaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(&root); err != nil {
		return nil, fmt.Errorf("write as YAML: %w", err)
	}
	return slices.Collect(strings.Lines(out.String())), nil
}

// skeleton are the fields whose objects keep a line for each of their fields,
// so that both sides of a diff are broken alike.
var skeleton = []string{"metadata", "spec", "jobTemplate", "template", "containers", "initContainers"}

// compact puts the outermost short parts below the skeleton on one line each.
// A list of objects keeps a line for each of them.
func compact(n *goyaml.Node, depth int) {
	switch {
	case n.Kind == goyaml.MappingNode && width(n) <= compactWidth-2*depth,
		n.Kind == goyaml.SequenceNode && !ofObjects(n) && width(n) <= compactWidth-2*depth:
		n.Style = goyaml.FlowStyle
	case n.Kind == goyaml.MappingNode:
		compactFields(n, depth)
	case n.Kind == goyaml.SequenceNode:
		for _, below := range n.Content {
			compact(below, depth+1)
		}
	}
}

func compactFields(object *goyaml.Node, depth int) {
	for n := 1; n < len(object.Content); n += 2 {
		field, value := object.Content[n-1].Value, object.Content[n]
		switch {
		case !slices.Contains(skeleton, field):
			compact(value, depth+1)
		case value.Kind == goyaml.MappingNode:
			compactFields(value, depth+1)
		case ofObjects(value):
			for _, below := range value.Content {
				compactFields(below, depth+2)
			}
		}
	}
}

func ofObjects(n *goyaml.Node) bool {
	return n.Kind == goyaml.SequenceNode && len(n.Content) > 0 && n.Content[0].Kind == goyaml.MappingNode
}

// width is about how long a node is on one line.
func width(n *goyaml.Node) int {
	sum := len(n.Value) + 2
	if strings.Contains(n.Value, "\n") {
		return compactWidth + 1
	}
	for _, below := range n.Content {
		sum += width(below)
	}
	return sum
}
