package process

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/taojob/taojob/e2e/internal/wait"
)

// End stops the process of a name that runs in a folder, and insists after a
// while. It may not be our child, so that only its pid tells when it has gone.
// That none runs is no error.
func End(ctx context.Context, dir, name string, grace time.Duration) error {
	defer func() { _ = os.Remove(pidFile(dir, name)) }() // most often it is there no more
	pid := Running(dir, name)
	if pid == 0 {
		return nil
	}
	gone := func(context.Context) error {
		if Running(dir, name) == pid {
			return fmt.Errorf("%s still runs as %d", name, pid)
		}
		return nil
	}
	_ = syscall.Kill(pid, syscall.SIGTERM) // fails only if it has just ended
	asked, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	if wait.For(asked, 20*time.Millisecond, gone) == nil {
		return nil
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	killed, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if err := wait.For(killed, 20*time.Millisecond, gone); err != nil {
		return fmt.Errorf("kill %s: %w", name, err)
	}
	return nil
}

// Running is the pid of the process of a name that runs in a folder, or 0. A
// pid may belong to somebody else by now: every process of ours has the folder
// in its arguments. A zombie has none, and counts as gone.
func Running(dir, name string) int {
	text, err := os.ReadFile(pidFile(dir, name))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil || !bytes.Contains(args, []byte(dir+"/")) {
		return 0
	}
	return pid
}

func pidFile(dir, name string) string { return filepath.Join(dir, name+".pid") }
