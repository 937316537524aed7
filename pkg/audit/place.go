package audit

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// place is where in a file something stands, counted from 1; columns are
// characters. The zero value is not known.
type place struct{ line, column int }

// place is that of the field at a written path of the object, or of the
// innermost one around it that is there.
func (o *Object) place(written string) place {
	if o.root == nil {
		return place{line: o.Source.Line}
	}
	n := innermost(o.root, written).node
	return place{line: o.line + n.Line - 1, column: n.Column}
}

// spot is a node, and the rest of a path that leads on from it.
type spot struct {
	node *yaml.Node
	rest string
}

// innermost follows a written path down from n, as far as there are nodes. A
// path can be read in more than one way when keys hold brackets; then the one
// that leads furthest counts. What is no scalar is where its key is: its own
// place is the first of its fields.
func innermost(n *yaml.Node, written string) spot {
	best := spot{n, written}
	try := func(key, value *yaml.Node, forms ...string) {
		for _, form := range forms {
			rest, ok := strings.CutPrefix(written, form)
			if !ok || !boundary(rest) {
				continue
			}
			below := innermost(value, rest)
			if below.node == value && value.Kind != yaml.ScalarNode {
				below.node = key
			}
			if len(below.rest) < len(best.rest) {
				best = below
			}
		}
	}
	switch content := resolved(n).Content; resolved(n).Kind {
	case yaml.MappingNode:
		for pair := range slices.Chunk(content, 2) {
			key := pair[0].Value
			try(pair[0], pair[1], "["+key+"]", "."+key, key)
		}
	case yaml.SequenceNode:
		for i, item := range content {
			try(item, item, "["+strconv.Itoa(i)+"]")
		}
	}
	return best
}

// resolved is what an alias stands for.
func resolved(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}
