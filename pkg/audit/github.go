package audit

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/taojob/taojob/pkg/validate"
)

// writeGitHub writes workflow commands, so that a pull request shows each
// finding beside the line that caused it. GitHub shows but a few of each level,
// so the worst come first.
func writeGitHub(w io.Writer, r *Report, _ Style) error {
	var out bytes.Buffer
	for _, p := range r.Problems {
		command(&out, "error", Source{p.File, p.Line}, 0, "not judged", p.Message)
	}
	levels := map[validate.Action]string{validate.Deny: "error", validate.Warn: "warning", validate.Audit: "notice"}
	for _, f := range r.findings() {
		source := Source{f.item.Source.File, f.place.line}
		text := fmt.Sprintf("%s/%s: %s: %s. Fix: %s", f.item.Namespace, f.item.Name, f.Path, f.Message, f.Fix)
		command(&out, levels[f.Action], source, f.place.column, f.Rule, text)
	}
	for _, i := range r.Items {
		for _, text := range i.Warnings {
			command(&out, "warning", i.Source, 0, "warning", i.Namespace+"/"+i.Name+": "+text)
		}
	}
	_, err := out.WriteTo(w)
	return err
}

// command writes one workflow command. What is not known of the place is left out.
func command(out *bytes.Buffer, level string, source Source, column int, title, text string) {
	fmt.Fprintf(out, "::%s ", level)
	if source.File != "" {
		fmt.Fprintf(out, "file=%s,", githubProperty(artifact(source.File)))
	}
	if source.File != "" && source.Line > 0 {
		fmt.Fprintf(out, "line=%d,", source.Line)
	}
	if column > 0 {
		fmt.Fprintf(out, "col=%d,", column)
	}
	fmt.Fprintf(out, "title=%s::%s\n", githubProperty(title), githubText(line(text)))
}

var (
	githubTextEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubPropertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// githubText escapes what would end a message.
func githubText(text string) string { return githubTextEscapes.Replace(text) }

// githubProperty escapes what would end a property.
func githubProperty(text string) string { return githubPropertyEscapes.Replace(text) }
