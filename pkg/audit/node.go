package audit

import (
	"math"

	"go.yaml.in/yaml/v3"
)

// maxExpanded bounds what a document may become once its aliases are replaced
// by what they stand for: nine short lines can stand for gigabytes.
const maxExpanded = 4 * MaxManifest

// tooLarge refuses a document that aliases blow up, before that happens.
func (d *document) tooLarge() *Problem {
	sizes := map[*yaml.Node]int64{}
	if d.root == nil || expanded(d.root, sizes) <= max(maxExpanded, 4*int64(len(d.text))) {
		return nil
	}
	return d.problem("has aliases that expand to too much")
}

// expanded is about the number of bytes that n stands for. A node within
// itself counts as endless.
func expanded(n *yaml.Node, sizes map[*yaml.Node]int64) int64 {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
		if size, known := sizes[n]; known {
			return size
		}
	}
	if n.Anchor != "" {
		sizes[n] = math.MaxInt32 << 16 // until it is known: it is within itself
	}
	size := int64(len(n.Value)) + 4
	for _, child := range n.Content {
		size = min(size+expanded(child, sizes), math.MaxInt32<<16)
	}
	if n.Anchor != "" {
		sizes[n] = size
	}
	return size
}

// duplicates refuses a key that stands twice in one mapping: parsers differ in
// which of the two counts.
func (d *document) duplicates() *Problem {
	if d.root == nil {
		return nil
	}
	var at path
	key := at.doubled(d.root)
	if key == nil {
		return nil
	}
	p := d.problem(at.String() + ": is there twice")
	p.Line = d.line + key.Line - 1
	return p
}

// doubled returns the first key node below n that is there before, and leaves
// its path in p; nil when there is none, and p is as it was. It moves p along
// instead of copying it, since paths may be as long as a file is deep.
func (p *path) doubled(n *yaml.Node) *yaml.Node {
	depth := len(*p)
	switch n.Kind {
	case yaml.SequenceNode:
		for i, child := range n.Content {
			*p = append((*p)[:depth], step{index: i, isIndex: true})
			if key := p.doubled(child); key != nil {
				return key
			}
		}
	case yaml.MappingNode:
		seen := make(map[string]bool, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			*p = append((*p)[:depth], step{key: key.Value})
			if key.Kind == yaml.ScalarNode {
				if seen[key.Value] {
					return key
				}
				seen[key.Value] = true
			}
			if key := p.doubled(n.Content[i+1]); key != nil {
				return key
			}
		}
	}
	*p = (*p)[:depth]
	return nil
}

// child returns what stands at a step below n, nil when nothing does.
func child(n *yaml.Node, s step) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch {
	case n == nil:
	case n.Kind == yaml.SequenceNode && s.isIndex && s.index < len(n.Content):
		return n.Content[s.index]
	case n.Kind == yaml.MappingNode && !s.isIndex:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == s.key {
				return n.Content[i+1]
			}
		}
	}
	return nil
}
