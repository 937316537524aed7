package validate

import (
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// freeMaps are the fields of a Job whose keys the author chooses, so that no
// dot may stand before them.
var freeMaps = map[string]bool{
	"annotations": true, "labels": true, "matchLabels": true, "nodeSelector": true,
	"limits": true, "requests": true, "overhead": true,
	"volumeAttributes": true, "options": true,
}

var errPath = &shapeError{"a path is not a non-empty array of strings and whole numbers"}

// renderPath writes a path into the object as people read it:
// spec.template.spec.containers[0].env, metadata.annotations[tao.nvidia.com/nodes].
func renderPath(path *ast.Array) (string, error) {
	if path.Len() == 0 {
		return "", errPath
	}
	var b strings.Builder
	parent := ""
	for i := range path.Len() {
		switch step := path.Elem(i).Value.(type) {
		case ast.Number:
			if n, ok := step.Int(); !ok || n < 0 {
				return "", errPath
			}
			b.WriteString("[" + string(step) + "]")
			parent = ""
		case ast.String:
			writeKey(&b, string(step), freeMaps[parent])
			parent = string(step)
		default:
			return "", errPath
		}
	}
	return b.String(), nil
}

func writeKey(b *strings.Builder, key string, free bool) {
	switch {
	case free || key == "" || strings.ContainsAny(key, "./[]"):
		b.WriteString("[" + key + "]")
	case b.Len() == 0:
		b.WriteString(key)
	default:
		b.WriteString("." + key)
	}
}
