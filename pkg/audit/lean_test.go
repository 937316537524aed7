package audit

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// nodes are two Nodes as kubectl writes them, with lists of images.
const nodes = `apiVersion: v1
items:
- apiVersion: v1
  kind: Node
  metadata:
    name: a
  status:
    allocatable:
      pods: "110"
    images:
    - names:
      - registry/a@sha256:1
      - registry/a:1

      # a comment
      sizeBytes: 1
    - names: [b]
    nodeInfo:
      kubeletVersion: v1.31.0
- apiVersion: v1
  kind: Node
  metadata:
    annotations:
      images: |
        status:
          images:
          - kept
    name: b
  status:
    images:
      - names:
        - c
kind: List
`

// asJSON is nodes with that indentation.
func asJSON(t *testing.T, indent string) string {
	t.Helper()
	var tree any
	if err := yaml.Unmarshal([]byte(nodes), &tree); err != nil {
		t.Fatal(err)
	}
	raw, err := json.MarshalIndent(tree, "", indent)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestReadInventoryKeepsAllButTheImages(t *testing.T) {
	compact := strings.Replace(nodes, "    images:\n    - names:\n", "    images: [{names: [x]}]\n    other:\n    - names:\n", 1)
	for name, in := range map[string]string{
		"as kubectl writes it":         nodes,
		"with Windows line ends":       strings.ReplaceAll(nodes, "\n", "\r\n"),
		"one Node of its own":          "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\nstatus:\n  images:\n  - names:\n    - a\n  phase: Running\n",
		"images that are no block":     compact,
		"a file that ends with images": "apiVersion: v1\nkind: Node\nstatus:\n  images:\n  - names: [a]",
		"without any":                  "apiVersion: v1\nkind: Node\nstatus: {phase: Running}\n",
		"as JSON of one line":          `{"apiVersion": "v1", "kind": "Node", "status": {"images": [{"names": ["a"]}]}}`,
		"as JSON of kubectl":           asJSON(t, "    "),
		"as JSON of jq":                asJSON(t, "  "),
		"as JSON without indentation":  asJSON(t, ""),
	} {
		t.Run(name, func(t *testing.T) {
			all, problems := Read([]string{Stdin}, strings.NewReader(in), MaxInventory)
			lean, leanProblems := ReadInventory([]string{Stdin}, strings.NewReader(in))
			if len(problems)+len(leanProblems) > 0 {
				t.Fatal(problems, leanProblems)
			}
			if diff := cmp.Diff(imageless(t, all), imageless(t, lean)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// imageless are Nodes by the line they stand at, without their images and the
// annotation that only looks like some.
func imageless(t *testing.T, objects []Object) map[string]corev1.Node {
	t.Helper()
	all := map[string]corev1.Node{}
	for _, o := range objects {
		var n corev1.Node
		if err := yaml.Unmarshal(o.JSON, &n); err != nil {
			t.Fatal(err)
		}
		n.Status.Images, n.Annotations = nil, nil
		all[fmt.Sprintf("%d %s", o.Source.Line, o.Kind)] = n
	}
	return all
}

func TestTheImagesAreNotRead(t *testing.T) {
	for name, in := range map[string]string{"YAML": nodes, "JSON": asJSON(t, "    ")} {
		if text := string(withoutImages([]byte(in))); strings.Contains(text, "registry") || strings.Contains(text, "\"c\"") || strings.Contains(text, "- c") {
			t.Errorf("%s: %s", name, text)
		}
	}
}
