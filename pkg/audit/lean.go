package audit

import "bytes"

// withoutImages empties the lines of the image lists in the status of Nodes, as
// kubectl writes them. They are three quarters of the YAML of a large cluster,
// say nothing of what fits, and parsers of YAML are slow. The lines themselves
// stay, so that those of what follows stay right.
//
// It goes by indentation alone. That may hit text in an annotation that looks
// like a Node, of which nothing is asked either.
func withoutImages(text []byte) []byte {
	if !bytes.Contains(text, []byte("images:")) || isJSON(text) {
		return text
	}
	out := make([]byte, 0, len(text))
	status, images := -1, -1 // their indentation, while within them
	for line := range bytes.Lines(text) {
		content := bytes.TrimLeft(line, " ")
		word := string(bytes.TrimRight(content, "\r\n"))
		depth := len(line) - len(content)
		switch {
		case word == "" || word[0] == '#': // anywhere
		case images >= 0 && (depth > images || depth == images && content[0] == '-'):
			line = []byte("\n")
		case status >= 0 && depth == status+2 && word == "images:":
			images, line = depth, []byte("\n")
		case word == "status:":
			status, images = depth, -1
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

// isJSON tells whether text begins like a JSON object.
func isJSON(text []byte) bool {
	text = bytes.TrimSpace(text)
	return len(text) > 0 && text[0] == '{'
}
