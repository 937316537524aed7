package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Down stops the detached cluster of a folder and leaves its logs there. That
// nothing runs there is no error, so that it can be repeated.
func Down(ctx context.Context, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("stop cluster: %w", err)
	}
	var errs []error
	for _, name := range slices.Backward(components) {
		if pid := runningPID(dir, name); pid != 0 {
			errs = append(errs, end(ctx, dir, name, pid))
		}
		_ = os.Remove(pidFile(dir, name)) // most often it is there no more
	}
	return errors.Join(errs...)
}

// end stops a process that may not be our child, so that only its pid tells
// when it has gone.
func end(ctx context.Context, dir, name string, pid int) error {
	gone := func(context.Context) error {
		if runningPID(dir, name) == pid {
			return fmt.Errorf("%s still runs as %d", name, pid)
		}
		return nil
	}
	_ = syscall.Kill(pid, syscall.SIGTERM) // fails only if it has just ended
	grace, cancel := context.WithTimeout(ctx, stopGrace)
	defer cancel()
	if waitFor(grace, 20*time.Millisecond, gone) == nil {
		return nil
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	killed, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
	defer cancel()
	if err := waitFor(killed, 20*time.Millisecond, gone); err != nil {
		return fmt.Errorf("kill %s: %w", name, err)
	}
	return nil
}

// firstRunning names a component that runs in the folder, if any.
func firstRunning(dir string) string {
	for _, name := range components {
		if runningPID(dir, name) != 0 {
			return name
		}
	}
	return ""
}

// runningPID is the pid of a component that runs in the folder, or 0. A pid
// may belong to somebody else by now: every component of ours has the folder
// in its arguments. A zombie has none, and counts as gone.
func runningPID(dir, name string) int {
	text, err := os.ReadFile(pidFile(dir, name))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil || !containsFolder(args, dir) {
		return 0
	}
	return pid
}

func containsFolder(args []byte, dir string) bool { return bytes.Contains(args, []byte(dir+"/")) }

func pidFile(dir, name string) string { return filepath.Join(dir, name+".pid") }
