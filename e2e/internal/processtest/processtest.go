// Package processtest helps tests to start processes, and to find those that
// outlive them.
package processtest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/taojob/taojob/e2e/internal/wait"
)

// Sleeper are arguments of /bin/sh to wait for a writer that never comes, as
// one process. The folder is among them, as every server of ours has it.
func Sleeper(dir string) []string {
	return []string{"-c", `mkfifo "$0" 2>/dev/null; exec cat "$0"`, filepath.Join(dir, "never")}
}

// CheckNothingRuns looks at every process of the machine, not only at those we
// know of. A killed process takes a moment to go.
func CheckNothingRuns(t *testing.T, dir string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err := wait.For(ctx, 10*time.Millisecond, func(context.Context) error {
		files, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil {
			return err
		}
		for _, file := range files {
			if args, err := os.ReadFile(file); err == nil && bytes.Contains(args, []byte(dir+"/")) {
				return fmt.Errorf("%s still runs: %q", filepath.Dir(file), args)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
