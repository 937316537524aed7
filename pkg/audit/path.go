package audit

import (
	"slices"
	"strconv"
	"strings"
)

// step is one key or index of a path.
type step struct {
	key     string
	index   int
	isIndex bool
}

// path leads into an object. Its methods return longer copies.
type path []step

func (p path) key(k string) path { return append(slices.Clip(p), step{key: k}) }

func (p path) index(i int) path { return append(slices.Clip(p), step{index: i, isIndex: true}) }

// String writes a path as the rules do: spec.containers[0].env, and keys that
// could be mistaken for several in brackets: metadata.annotations[a.b/c].
func (p path) String() string {
	var b strings.Builder
	for _, s := range p {
		switch {
		case s.isIndex:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case s.key == "" || strings.ContainsAny(s.key, "./[]"):
			b.WriteString("[" + s.key + "]")
		case b.Len() == 0:
			b.WriteString(s.key)
		default:
			b.WriteString("." + s.key)
		}
	}
	return b.String()
}

// visitLeaves calls visit for every string that stands at the written path
// or below it, with a function that replaces it. A written path can be read in
// more than one way when keys hold brackets; then all count.
func visitLeaves(value any, written string, replace func(any), visit func(string, func(any))) {
	if written == "" {
		visitAll(value, replace, visit)
		return
	}
	switch value := value.(type) {
	case map[string]any:
		for key, below := range value {
			replace := func(v any) { value[key] = v }
			for _, form := range []string{"[" + key + "]", "." + key, key} {
				if rest, ok := strings.CutPrefix(written, form); ok && boundary(rest) {
					visitLeaves(below, rest, replace, visit)
				}
			}
		}
	case []any:
		for i, below := range value {
			if rest, ok := strings.CutPrefix(written, "["+strconv.Itoa(i)+"]"); ok {
				visitLeaves(below, rest, func(v any) { value[i] = v }, visit)
			}
		}
	}
}

// boundary tells whether a key may end here.
func boundary(rest string) bool { return rest == "" || rest[0] == '.' || rest[0] == '[' }

// visitAll calls visit for every string in value.
func visitAll(value any, replace func(any), visit func(string, func(any))) {
	switch value := value.(type) {
	case string:
		visit(value, replace)
	case map[string]any:
		for key, below := range value {
			visitAll(below, func(v any) { value[key] = v }, visit)
		}
	case []any:
		for i, below := range value {
			visitAll(below, func(v any) { value[i] = v }, visit)
		}
	}
}
