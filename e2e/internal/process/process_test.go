package process_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taojob/taojob/e2e/internal/process"
	"github.com/taojob/taojob/e2e/internal/processtest"
)

const (
	grace = 10 * time.Second

	// parentEnv makes the test binary play a program that starts a process and
	// is then killed.
	parentEnv = "TAOJOB_TEST_PARENT_DIR"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(parentEnv); dir != "" {
		p, err := process.Start(sleeper(dir, "child"))
		fmt.Println(err)
		<-p.Done()
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func TestAProcessThatDiesIsToldWithItsLog(t *testing.T) {
	p := start(t, shell(t.TempDir(), "echo no such flag >&2; exit 3"))
	err := p.Await(t.Context(), func(context.Context) error { return errors.New("not ready") })
	checkError(t, err, "run server: it ended (exit status 3)")
	checkError(t, err, "no such flag")
	checkError(t, p.Result(), "exit status 3")
	checkError(t, p.Stop(grace), "") // stopping it again does no harm
}

func TestAProcessThatIsNeverReadyIsTold(t *testing.T) {
	dir := t.TempDir()
	p := start(t, sleeper(dir, "server"))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	err := p.Await(ctx, func(context.Context) error { return errors.New("connection refused") })
	checkError(t, err, "wait for server")
	checkError(t, err, "connection refused")
	checkError(t, p.Died(), "")
	checkError(t, p.Stop(grace), "")
	processtest.CheckNothingRuns(t, dir)
}

func TestAProcessThatDoesNotStopIsKilled(t *testing.T) {
	dir := t.TempDir()
	p := start(t, shell(dir, `trap '' TERM; echo ready; mkfifo "$0"; exec cat "$0"`))
	err := p.Await(t.Context(), func(context.Context) error {
		if log, err := os.ReadFile(process.LogFile(dir, "server")); len(log) == 0 {
			return errors.Join(errors.New("it has printed nothing"), err)
		}
		return nil
	})
	checkError(t, err, "")
	checkError(t, p.Stop(10*time.Millisecond), "stop server: killed")
	checkError(t, p.Result(), "signal: killed")
	processtest.CheckNothingRuns(t, dir)
}

func TestABinaryThatIsMissingIsTold(t *testing.T) {
	_, err := process.Start(process.Command{Name: "server", Dir: t.TempDir(), Binary: "/nonexistent/server"})
	checkError(t, err, "start server")
}

func TestProcessesDieWithTheirParent(t *testing.T) {
	dir := t.TempDir()
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), parentEnv+"="+dir)
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "<nil>\n" {
		t.Fatalf("the parent could not start it: %q %v", line, err)
	}
	if process.Running(dir, "child") == 0 {
		t.Fatal("the process doesn't run")
	}
	_ = parent.Process.Kill()
	_ = parent.Wait()
	processtest.CheckNothingRuns(t, dir)
}

func TestEndLeavesTheNextOwnerOfAPidAlone(t *testing.T) {
	dir := t.TempDir()
	other := exec.Command("/bin/sh", processtest.Sleeper(t.TempDir())...)
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	pidFile := filepath.Join(dir, "server.pid")
	if err := os.WriteFile(pidFile, fmt.Append(nil, other.Process.Pid), 0o600); err != nil {
		t.Fatal(err)
	}
	checkError(t, process.End(t.Context(), dir, "server", grace), "")
	if _, err := os.Stat(pidFile); !os.IsNotExist(err) {
		t.Errorf("its pid file stays: %v", err)
	}
	_ = other.Process.Kill()
	if err := other.Wait(); err == nil || other.ProcessState.String() != "signal: killed" {
		t.Errorf("somebody else's process ended as %v, want by our own kill", other.ProcessState)
	}
}

func TestTail(t *testing.T) {
	for in, want := range map[string]string{"": "", "a\n": "a", "a\nb\nc\n": "b\nc"} {
		if got := process.Tail([]byte(in), 2); got != want {
			t.Errorf("Tail(%q, 2) = %q, want %q", in, got, want)
		}
	}
}

func sleeper(dir, name string) process.Command {
	return process.Command{Name: name, Dir: dir, Binary: "/bin/sh", Args: processtest.Sleeper(dir)}
}

func shell(dir, script string) process.Command {
	return process.Command{
		Name: "server", Dir: dir, Binary: "/bin/sh", Args: []string{"-c", script, filepath.Join(dir, "never")},
	}
}

func start(t *testing.T, c process.Command) *process.Process {
	t.Helper()
	p, err := process.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// checkError wants an error that contains a text, or none for "".
func checkError(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("unexpected error: %v", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("error %v, want one with %q", err, want)
	}
}
