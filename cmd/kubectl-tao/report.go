package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/taojob/taojob/pkg/audit"
	"github.com/taojob/taojob/pkg/validate"
)

// write writes the report, and returns the exit code as an error: violations
// that lead to failOn or worse count.
func (f *judgeFlags) write(c *cobra.Command, report *audit.Report, failOn validate.Action) error {
	out, notes := c.OutOrStdout(), c.ErrOrStderr()
	style := audit.Style{Color: colorful(out) && colorful(notes), Notes: notes, About: f.about()}
	if err := f.formats.Write(out, f.output, report, style); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	for _, p := range report.Problems {
		fmt.Fprintln(notes, "error:", p)
	}
	for _, p := range report.Notes {
		fmt.Fprintln(notes, "warning:", p)
	}
	if code := report.ExitCode(failOn); code != audit.ExitAllowed {
		return exitError(code)
	}
	return nil
}

// about says what was judged, when and by which version.
func (f *judgeFlags) about() audit.About {
	subject := strings.Join(f.files, ", ")
	if subject == "" {
		subject = "the cluster"
		if f.access.context != "" {
			subject = "the cluster of context " + f.access.context
		}
	}
	return audit.About{Subject: subject, Time: time.Now(), Version: currentVersion()}
}

// colorful tells whether w is a terminal whose user wants colors (no-color.org).
func colorful(w io.Writer) bool {
	return os.Getenv("NO_COLOR") == "" && isTerminal(w)
}
