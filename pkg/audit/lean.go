package audit

import "bytes"

// listStyle is how a Node's image list is recognised in a style of writing.
type listStyle struct {
	// status and images are the lines that begin the status and the list.
	status, images string
	// entry begins the lines of the list that are no deeper than its beginning;
	// 0 when all are.
	entry byte
	// keep keeps the line that begins the list, since one ends it.
	keep bool
}

var (
	yamlStyle = listStyle{status: "status:", images: "images:", entry: '-'}
	jsonStyle = listStyle{status: `"status": {`, images: `"images": [`, keep: true}
)

// withoutImages empties the lines of the image lists in the status of Nodes, as
// kubectl writes them. They are three quarters of the text of a large cluster
// and say nothing of what fits. The lines themselves stay, so that those of
// what follows stay right; text that is laid out in another way stays whole.
//
// It goes by indentation alone. That may hit text in an annotation that looks
// like a Node, of which nothing is asked either.
func withoutImages(text []byte) []byte {
	if !bytes.Contains(text, []byte("images")) {
		return text
	}
	style := yamlStyle
	if begin := bytes.TrimSpace(text); begin[0] == '{' {
		style = jsonStyle
	}
	out := make([]byte, 0, len(text))
	status, inner, images := -1, -1, -1 // their indentation, while within them
	for line := range bytes.Lines(text) {
		content := bytes.TrimLeft(line, " ")
		word := string(bytes.TrimRight(content, "\r\n"))
		depth := len(line) - len(content)
		if status >= 0 && inner < 0 {
			inner = depth
		}
		switch {
		case word == "" || word[0] == '#': // anywhere
		case images >= 0 && (depth > images || depth == images && content[0] == style.entry):
			line = []byte("\n")
		case status >= 0 && depth > status && depth == inner && word == style.images:
			images = depth
			if !style.keep {
				line = []byte("\n")
			}
		case word == style.status:
			status, inner, images = depth, -1, -1
		default:
			images = -1
			if depth <= status {
				status = -1
			}
		}
		out = append(out, line...)
	}
	return out
}
