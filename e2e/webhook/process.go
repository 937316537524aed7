package webhook

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// stopGrace is how long the webhook may take to stop. It gives its open
// requests as long as a pod has by default.
const stopGrace = 30 * time.Second

// process is one run of the webhook.
type process struct {
	pid  int
	done chan struct{} // closed once it has ended
	err  error         // why; only valid then
}

// run starts a command with its output appended to a log. A detached one
// outlives us; any other dies with us, even if we are killed.
func run(command []string, dir, logFile string, detach bool) (*process, error) {
	log, err := os.OpenFile(logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	defer func() { _ = log.Close() }()              // the child has its own
	cmd := exec.Command(command[0], command[1:]...) //nolint:noctx // it is to end when it is told, not with whoever started it
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: detach, Setpgid: !detach} // a terminal's Ctrl-C is for us
	if !detach {
		cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	}
	p := &process{done: make(chan struct{})}
	started := make(chan error)
	go p.await(cmd, started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", command[0], err)
	}
	return p, nil
}

// await holds one thread: the kernel sends Pdeathsig when the thread that
// forked ends, not the process.
func (p *process) await(cmd *exec.Cmd, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cmd.Start()
	if err == nil {
		p.pid = cmd.Process.Pid
	}
	started <- err
	if err == nil {
		p.err = cmd.Wait()
		close(p.done)
	}
}

// ended tells whether the process has ended.
func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// stop asks the process to end and returns how it did: nil for exit status 0.
func (p *process) stop() error {
	if p.ended() {
		return fmt.Errorf("it had ended before (%w)", p.err)
	}
	_ = syscall.Kill(p.pid, syscall.SIGTERM) // fails only if it has just ended
	select {
	case <-p.done:
		return p.err
	case <-time.After(stopGrace):
		p.kill()
		return fmt.Errorf("it was still running after %s", stopGrace)
	}
}

func (p *process) kill() {
	if !p.ended() {
		_ = syscall.Kill(p.pid, syscall.SIGKILL)
	}
	<-p.done
}

// pidFile tells Down which process to stop.
func pidFile(dir string) string { return filepath.Join(dir, "webhook.pid") }

// Down stops the webhook that was started with Detach in the folder of a
// cluster. That none runs there is no error.
func Down(ctx context.Context, clusterDir string) error {
	dir, err := filepath.Abs(filepath.Join(clusterDir, folder))
	if err != nil {
		return fmt.Errorf("stop webhook: %w", err)
	}
	pid := runningPID(dir)
	if pid == 0 {
		return nil
	}
	_ = syscall.Kill(pid, syscall.SIGTERM) // fails only if it has just ended
	ctx, cancel := context.WithTimeout(ctx, stopGrace)
	defer cancel()
	err = poll(ctx, func(context.Context) error {
		if runningPID(dir) == pid {
			return fmt.Errorf("the webhook still runs as %d", pid)
		}
		return nil
	})
	if err != nil {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		return fmt.Errorf("stop webhook: %w", err)
	}
	return os.Remove(pidFile(dir))
}

// runningPID is the pid of the webhook that runs in the folder, or 0. The pid
// may be somebody else's by now: ours has the folder in its arguments.
func runningPID(dir string) int {
	text, err := os.ReadFile(pidFile(dir))
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
