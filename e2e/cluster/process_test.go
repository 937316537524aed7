package cluster

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// parentEnv makes the test binary play a program that starts a component and
// is then killed.
const parentEnv = "TAOJOB_TEST_PARENT_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(parentEnv); dir != "" {
		p, err := startProcess(dir, Etcd, "/bin/sh", sleeper(dir), false)
		fmt.Println(err)
		<-p.done
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// sleeper are arguments of a shell that waits, with the folder among them, as
// every component has it.
func sleeper(dir string) []string {
	return []string{"-c", "while :; do sleep 1000; done", dir + "/"}
}

func TestAComponentThatDiesIsToldWithItsLog(t *testing.T) {
	p, err := startProcess(t.TempDir(), Scheduler, "/bin/sh", []string{"-c", "echo no such flag >&2; exit 3"}, false)
	if err != nil {
		t.Fatal(err)
	}
	err = p.await(t.Context(), func(context.Context) error { return errors.New("not ready") })
	checkError(t, err, "run kube-scheduler: it ended (exit status 3)")
	checkError(t, err, "no such flag")
	checkError(t, p.stop(), "") // stopping it again does no harm
}

func TestAComponentThatIsNeverReadyIsTold(t *testing.T) {
	dir := t.TempDir()
	p, err := startProcess(dir, Scheduler, "/bin/sh", sleeper(dir), false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	err = p.await(ctx, func(context.Context) error { return errors.New("connection refused") })
	checkError(t, err, "wait for kube-scheduler")
	checkError(t, err, "connection refused")
	checkError(t, p.stop(), "")
	checkNothingRuns(t, dir)
}

func TestABinaryThatIsMissingIsTold(t *testing.T) {
	_, err := startProcess(t.TempDir(), Etcd, "/nonexistent/etcd", nil, false)
	checkError(t, err, "start etcd")
}

func TestComponentsDieWithTheirParent(t *testing.T) {
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
	if runningPID(dir, Etcd) == 0 {
		t.Fatal("the component doesn't run")
	}
	_ = parent.Process.Kill()
	_ = parent.Wait()
	checkNothingRuns(t, dir)
}

func TestDownStopsDetachedComponents(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{Etcd, APIServer} {
		if _, err := startProcess(dir, name, "/bin/sh", sleeper(dir), true); err != nil {
			t.Fatal(err)
		}
	}
	if got := firstRunning(dir); got != Etcd {
		t.Errorf("firstRunning = %q, want etcd", got)
	}
	checkError(t, (&Cluster{Dir: dir}).makeDir(), "the etcd of another cluster runs there")
	for range 2 { // the second time there is nothing to do
		if err := Down(t.Context(), dir); err != nil {
			t.Error(err)
		}
	}
	checkNothingRuns(t, dir)
}

func TestDownLeavesTheNextOwnerOfAPidAlone(t *testing.T) {
	dir := t.TempDir()
	other := exec.Command("/bin/sh", sleeper(t.TempDir())...)
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(pidFile(dir, Etcd), fmt.Append(nil, other.Process.Pid), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Down(t.Context(), dir); err != nil {
		t.Error(err)
	}
	_ = other.Process.Kill()
	if err := other.Wait(); err == nil || other.ProcessState.String() != "signal: killed" {
		t.Errorf("somebody else's process ended as %v, want by our own kill", other.ProcessState)
	}
}

// checkNothingRuns looks at every process of the machine, not only at those we
// know of. A killed process takes a moment to go.
func checkNothingRuns(t *testing.T, dir string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err := waitFor(ctx, 10*time.Millisecond, func(context.Context) error {
		files, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil {
			return err
		}
		for _, file := range files {
			if args, err := os.ReadFile(file); err == nil && containsFolder(args, dir) {
				return fmt.Errorf("%s still runs: %q", filepath.Dir(file), args)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
