package audit

import (
	"encoding/json"
	"io"
)

func writeJSON(w io.Writer, r *Report, _ Style) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}
