package audit

import (
	"bytes"
	"fmt"
	"io"

	"sigs.k8s.io/yaml"
)

// writeYAML writes what to apply of every allowed, labelled Job. A CronJob is
// written as it was, since it is its Jobs that the webhook injects. What is
// left out, denied or with a credential in it, goes to the notes as text.
func writeYAML(w io.Writer, r *Report, style Style) error {
	var out bytes.Buffer
	var leftOut []Item
	for _, item := range r.Items {
		if item.Selected && (!item.Allowed || item.apply == nil) {
			leftOut = append(leftOut, item)
			continue
		}
		for _, object := range item.apply {
			raw, err := yaml.Marshal(object)
			if err != nil {
				return fmt.Errorf("write %s %s as YAML: %w", item.Kind, item.Name, err)
			}
			out.WriteString("---\n")
			out.Write(raw)
		}
	}
	if _, err := out.WriteTo(w); err != nil || style.Notes == nil {
		return err
	}
	return writeItems(style.Notes, leftOut, style)
}
