package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// stopGrace is how long a component may take to stop before it is killed.
const stopGrace = 20 * time.Second

// process is a running component.
type process struct {
	name string
	dir  string // holds <name>.log and <name>.pid
	pid  int
	done chan struct{} // closed once it has ended
	err  error         // why; only valid then
}

// startProcess runs a binary with its output in dir. A detached process
// outlives us; any other dies with us, even if we are killed.
func startProcess(dir, name, binary string, args []string, detach bool) (*process, error) {
	p := &process{name: name, dir: dir, done: make(chan struct{})}
	log, err := os.OpenFile(p.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open log of %s: %w", name, err)
	}
	defer log.Close()                    // the child has its own
	cmd := exec.Command(binary, args...) //nolint:noctx // it outlives the context that bounds its start
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	cmd.Env = append(os.Environ(), "KWOK_WORKDIR="+dir) // not the user's own kwok configuration
	// A session or group of its own keeps a terminal's Ctrl-C from it: the
	// order of stopping is ours to choose.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: detach, Setpgid: !detach}
	if !detach {
		cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	}
	started := make(chan error)
	go p.run(cmd, started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	if err := os.WriteFile(pidFile(p.dir, p.name), []byte(strconv.Itoa(p.pid)), 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("write pid of %s: %w", name, err), p.stop())
	}
	return p, nil
}

// run starts and awaits the command on one thread that stays: the kernel sends
// Pdeathsig when the thread that forked ends, not the process.
func (p *process) run(cmd *exec.Cmd, started chan<- error) {
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

func (p *process) logFile() string { return filepath.Join(p.dir, p.name+".log") }

// died tells how the process ended, with the end of its log; nil if it runs.
func (p *process) died() error {
	select {
	case <-p.done:
	default:
		return nil
	}
	log, err := os.ReadFile(p.logFile())
	if err != nil {
		log = []byte(err.Error())
	}
	return fmt.Errorf("run %s: it ended (%w); the last lines of %s:\n%s", p.name, p.err, p.logFile(), tail(log, 15))
}

// await polls until the process is ready, and gives up once it has died.
func (p *process) await(ctx context.Context, ready func(context.Context) error) error {
	var dead error
	err := waitFor(ctx, 50*time.Millisecond, func(ctx context.Context) error {
		if dead = p.died(); dead != nil {
			return nil //nolint:nilerr // waiting is over, and dead says why
		}
		return ready(ctx)
	})
	if dead != nil {
		return dead
	}
	if err != nil {
		return fmt.Errorf("wait for %s (its log is %s): %w", p.name, p.logFile(), err)
	}
	return nil
}

// stop asks the process to end, and insists after a while.
func (p *process) stop() error {
	defer os.Remove(pidFile(p.dir, p.name))
	signal := func(s syscall.Signal) {
		select {
		case <-p.done: // its pid may be somebody else's by now
		default:
			_ = syscall.Kill(p.pid, s) // fails only if it has just ended
		}
	}
	signal(syscall.SIGTERM)
	select {
	case <-p.done:
		return nil
	case <-time.After(stopGrace):
	}
	signal(syscall.SIGKILL)
	<-p.done
	return fmt.Errorf("stop %s: killed, since it was still running after %s", p.name, stopGrace)
}
