package policies_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestReadme runs the commands that README.md tells people to run, with the
// pinned tools. Each must end as it says, and opa eval must find something.
func TestReadme(t *testing.T) {
	commands := documented(t)
	if len(commands) == 0 {
		t.Fatal("README.md has no block of commands below `## Run them`")
	}
	for _, line := range commands {
		t.Run(line, func(t *testing.T) {
			command, note, _ := strings.Cut(line, "#")
			want := 0
			if strings.TrimSpace(note) == "exit 1" {
				want = 1
			}
			args := strings.Fields(command)
			if args[0] != "make" {
				args = append([]string{"go", "tool", "-modfile=tools/" + args[0] + "/go.mod"}, args...)
			}
			c := exec.CommandContext(t.Context(), args[0], args[1:]...)
			c.Dir = ".."
			out, err := c.CombinedOutput()
			got := 0
			if exit, ok := errors.AsType[*exec.ExitError](err); ok {
				got = exit.ExitCode()
			} else if err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Fatalf("exit %d, want %d:\n%s", got, want, out)
			}
			if strings.HasPrefix(command, "opa eval") && !strings.Contains(string(out), `"message"`) {
				t.Errorf("finds nothing:\n%s", out)
			}
		})
	}
}

// documented returns the lines of the first block below "## Run them".
func documented(t *testing.T) []string {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "\n## Run them\n")
	_, block, _ := strings.Cut(section, "```\n")
	block, _, _ = strings.Cut(block, "```")
	return strings.FieldsFunc(block, func(r rune) bool { return r == '\n' })
}
