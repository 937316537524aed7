// Package process runs the servers that a cluster is made of: each in the
// background, with its log and its pid in files, until it is stopped.
package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/taojob/taojob/e2e/internal/wait"
)

// Command says what to run.
type Command struct {
	Name   string
	Dir    string // gets <name>.log and <name>.pid; some argument must be a path in it
	Binary string
	Args   []string
	Env    []string // beside our own
	// Detach lets the process outlive us. Any other dies with us, even if we
	// are killed.
	Detach bool
}

// Process is a Command that was started.
type Process struct {
	Name string
	PID  int

	dir  string
	done chan struct{} // closed once it has ended
	err  error         // why; only valid then
}

// Start runs a command, and returns without waiting until it is ready.
func Start(c Command) (*Process, error) {
	p := &Process{Name: c.Name, dir: c.Dir, done: make(chan struct{})}
	log, err := os.OpenFile(LogFile(c.Dir, c.Name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open log of %s: %w", c.Name, err)
	}
	defer func() { _ = log.Close() }()       // the child has its own
	cmd := exec.Command(c.Binary, c.Args...) //nolint:noctx // it outlives the context that bounds its start
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.Dir, log, log
	cmd.Env = append(os.Environ(), c.Env...)
	// A session or group of its own keeps a terminal's Ctrl-C from it: the
	// order of stopping is ours to choose.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: c.Detach, Setpgid: !c.Detach}
	if !c.Detach {
		cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	}
	started := make(chan error)
	go p.run(cmd, started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Name, err)
	}
	if err := os.WriteFile(pidFile(p.dir, p.Name), []byte(strconv.Itoa(p.PID)), 0o600); err != nil {
		p.Kill()
		return nil, fmt.Errorf("write pid of %s: %w", c.Name, err)
	}
	return p, nil
}

// run starts and awaits the command on one thread that stays: the kernel sends
// Pdeathsig when the thread that forked ends, not the process.
func (p *Process) run(cmd *exec.Cmd, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cmd.Start()
	if err == nil {
		p.PID = cmd.Process.Pid
	}
	started <- err
	if err == nil {
		p.err = cmd.Wait()
		close(p.done)
	}
}

// LogFile is where a command's output goes.
func LogFile(dir, name string) string { return filepath.Join(dir, name+".log") }

// Done is closed once the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Result waits until the process has ended, and is nil for exit status 0.
func (p *Process) Result() error {
	<-p.done
	return p.err
}

// Died tells how the process ended, with the end of its log; nil if it runs.
func (p *Process) Died() error {
	select {
	case <-p.done:
	default:
		return nil
	}
	why := p.err
	if why == nil {
		why = errors.New("exit status 0")
	}
	file := LogFile(p.dir, p.Name)
	log, err := os.ReadFile(file)
	if err != nil {
		log = []byte(err.Error())
	}
	return fmt.Errorf("run %s: it ended (%w); the last lines of %s:\n%s", p.Name, why, file, Tail(log, 15))
}

// Await polls until the process is ready, and gives up once it has died.
func (p *Process) Await(ctx context.Context, ready func(context.Context) error) error {
	var dead error
	err := wait.For(ctx, 50*time.Millisecond, func(ctx context.Context) error {
		if dead = p.Died(); dead != nil {
			return nil //nolint:nilerr // waiting is over, and dead says why
		}
		return ready(ctx)
	})
	if dead != nil {
		return dead
	}
	if err != nil {
		return fmt.Errorf("wait for %s (its log is %s): %w", p.Name, LogFile(p.dir, p.Name), err)
	}
	return nil
}

// Stop asks the process to end, and insists after a while, which is an error.
// That it had ended before is none.
func (p *Process) Stop(grace time.Duration) error {
	p.signal(syscall.SIGTERM)
	select {
	case <-p.done:
		_ = os.Remove(pidFile(p.dir, p.Name)) // most often it is there
		return nil
	case <-time.After(grace):
		p.Kill()
		return fmt.Errorf("stop %s: killed, since it was still running after %s", p.Name, grace)
	}
}

// Kill ends the process at once.
func (p *Process) Kill() {
	p.signal(syscall.SIGKILL)
	<-p.done
	_ = os.Remove(pidFile(p.dir, p.Name)) // most often it is there
}

func (p *Process) signal(s syscall.Signal) {
	select {
	case <-p.done: // its pid may be somebody else's by now
	default:
		_ = syscall.Kill(p.PID, s) // fails only if it has just ended
	}
}

// Tail is the last n lines of a text.
func Tail(text []byte, n int) string {
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
