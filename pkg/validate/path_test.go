package validate

import (
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
)

func TestRenderPath(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"fields are joined by dots":               {`["spec", "completions"]`, "spec.completions"},
		"numbers are indices":                     {`["spec", "containers", 0, "env", 12, "value"]`, "spec.containers[0].env[12].value"},
		"annotations are keys":                    {`["metadata", "annotations", "plain"]`, "metadata.annotations[plain]"},
		"so are volume attributes":                {`["csi", "volumeAttributes", "token"]`, "csi.volumeAttributes[token]"},
		"a key with a slash stands in brackets":   {`["data", "a/b", "c"]`, "data[a/b].c"},
		"a key with a dot as well":                {`["metadata", "annotations", "tao.nvidia.com/nodes"]`, "metadata.annotations[tao.nvidia.com/nodes]"},
		"a label named labels has a dot after it": {`["labels", "labels", "x"]`, "labels[labels][x]"},
		"an index ends a free map":                {`["options", 0, "name"]`, "options[0].name"},
		"an empty path is none":                   {`[]`, ""},
		"a fraction is no index":                  {`["args", 1.5]`, ""},
		"nor is a negative number":                {`["args", -1]`, ""},
		"nor an object":                           {`["args", {}]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := renderPath(ast.MustParseTerm(tc.in).Value.(*ast.Array))
			if got != tc.want || (err != nil) != (tc.want == "") {
				t.Errorf("renderPath(%s) = %q, %v; want %q", tc.in, got, err, tc.want)
			}
		})
	}
}
