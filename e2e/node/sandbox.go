package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

// insideEnv marks the process that runs in the sandbox.
const insideEnv = "TAOJOB_NODE_SANDBOX"

// packages are Debian's and Ubuntu's names of the commands that a node needs.
var packages = map[string]string{
	"containerd": "containerd", "ctr": "containerd", "runc": "runc", "iptables": "iptables", "ip": "iproute2",
	"conntrack": "conntrack", "ipset": "ipset", "mount": "mount", "unshare": "util-linux",
	cniDir + "/bridge": "containernetworking-plugins", "/bin/busybox": "busybox-static",
}

// Inside tells whether this process runs in a sandbox that Sandbox made.
func Inside() bool { return os.Getenv(insideEnv) != "" }

// Sandbox runs this very program again, with the same arguments, in network,
// mount and process namespaces of its own, and returns its exit code. No packet
// leaves such a namespace, since it has no way out, and whatever was started or
// mounted in it goes with it, even if the program is killed.
//
// What needs the network has to be done before: building, that is. Sandbox
// needs root, and the commands of packages; its error names what is missing.
func Sandbox(ctx context.Context) (int, error) {
	if err := requirements(); err != nil {
		return 1, err
	}
	self, err := os.Executable()
	if err != nil {
		return 1, fmt.Errorf("find this program: %w", err)
	}
	// The shell is the namespace's first process: it reaps what nobody awaits.
	shell := []string{"--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", `"$@"; exit $?`, "sandbox", self}
	cmd := exec.CommandContext(ctx, "unshare", append(shell, os.Args[1:]...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), insideEnv+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	signal.Ignore(os.Interrupt) // the program inside gets it as well, and ends in order
	defer signal.Reset(os.Interrupt)
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), nil
	}
	if err != nil {
		return 1, fmt.Errorf("make namespaces: %w", err)
	}
	return 0, nil
}

// requirements names all that is missing at once.
func requirements() error {
	if os.Geteuid() != 0 {
		return errors.New("make a node: want root, for its namespaces, mounts and firewall rules")
	}
	var missing []string
	for command, name := range packages {
		if _, err := exec.LookPath(command); err != nil && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	return fmt.Errorf("make a node: install what is missing first: apt-get install %s", strings.Join(missing, " "))
}

// scratch are the machine's folders that a node's components write to by fixed
// names; in the sandbox they are empty and the node's own.
var scratch = []string{"/run", "/var/log", "/var/lib/cni"}

// furnish prepares the sandbox's own mounts and network. The components need
// mounts to spread within the namespace; none spreads out of it.
func furnish(ctx context.Context) error {
	if err := run(ctx, "mount", "--make-rshared", "/"); err != nil {
		return err
	}
	for _, dir := range scratch {
		if err := os.MkdirAll(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("prepare sandbox: %w", err)
		}
		if err := run(ctx, "mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", dir); err != nil {
			return err
		}
	}
	return network(ctx)
}

// run runs a command to its end; its error holds what the command said.
func run(ctx context.Context, name string, args ...string) error {
	_, err := output(ctx, name, args...)
	return err
}

func output(ctx context.Context, name string, args ...string) ([]byte, error) {
	var said strings.Builder
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("run %s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(said.String()))
	}
	return out, nil
}
