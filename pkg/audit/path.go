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

// hidden stands for a key that its author chose.
const hidden = "…"

// String writes a path as the rules do: spec.containers[0].env, and keys that
// could be mistaken for several in brackets: metadata.annotations[a.b/c]. Keys
// of the author's own may be credentials and are not shown.
func (p path) String() string {
	var b strings.Builder
	for _, s := range p {
		switch {
		case s.isIndex:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case !words()[s.key]:
			b.WriteString("[" + hidden + "]")
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

// visitAt calls visit for what stands at a written path. One can be read in
// more than one way when keys hold brackets; then all count.
func visitAt(value any, written string, visit func(any)) {
	if written == "" {
		visit(value)
		return
	}
	switch value := value.(type) {
	case map[string]any:
		for key, below := range value {
			for _, form := range []string{"[" + key + "]", "." + key, key} {
				if rest, ok := strings.CutPrefix(written, form); ok && boundary(rest) {
					visitAt(below, rest, visit)
				}
			}
		}
	case []any:
		for i, below := range value {
			if rest, ok := strings.CutPrefix(written, "["+strconv.Itoa(i)+"]"); ok {
				visitAt(below, rest, visit)
			}
		}
	}
}

// boundary tells whether a key may end here.
func boundary(rest string) bool { return rest == "" || rest[0] == '.' || rest[0] == '[' }

// texts calls visit for every string in value.
func texts(value any, visit func(string)) {
	switch value := value.(type) {
	case string:
		visit(value)
	case map[string]any:
		for _, below := range value {
			texts(below, visit)
		}
	case []any:
		for _, below := range value {
			texts(below, visit)
		}
	}
}

// blotted is value with every string replaced that hit finds, keys included. It
// changes value itself.
func blotted(value any, hit func(string) bool) any {
	switch value := value.(type) {
	case string:
		if hit(value) {
			return redacted
		}
	case map[string]any:
		for _, key := range sortedKeys(value) {
			value[key] = blotted(value[key], hit)
			if !words()[key] && hit(key) {
				rename(value, key)
			}
		}
	case []any:
		for i := range value {
			value[i] = blotted(value[i], hit)
		}
	}
	return value
}

// rename puts what stands under a key that must not be shown under another one.
func rename(object map[string]any, key string) {
	below := object[key]
	delete(object, key)
	name := redacted
	for {
		if _, taken := object[name]; !taken {
			break
		}
		name += "*"
	}
	object[name] = below
}
