// Package node brings a real node up on this machine and joins it to a real
// control plane: containerd, runc, CNI plugins, kubelet, kube-proxy and CoreDNS.
// Pods really run on it. It needs Linux, root, and a few of Debian's packages;
// neither Docker nor a registry.
//
// All of it lives in a Sandbox, so that no packet leaves the machine and
// nothing is left behind. Only the GPUs don't exist.
package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/taojob/taojob/e2e/cluster"
	"github.com/taojob/taojob/e2e/internal/process"
)

// Name is the node's.
const Name = "node-0"

// stopGrace is how long a component may take to stop before it is killed.
const stopGrace = 10 * time.Second

// Options say which node to start; the zero value is a good one.
type Options struct {
	Version string // of Kubernetes, as cluster.Resolve takes it; 1.34 or newer
	GPUs    int    // how many to advertise
	Log     io.Writer
}

// Node is a running node and its control plane.
type Node struct {
	Cluster *cluster.Cluster
	Dir     string

	running []*process.Process // in the order of their start
}

// Build makes all binaries that Start needs. It may need the network, which a
// sandbox has none of.
func Build(ctx context.Context, version string) error {
	assets, err := cluster.Binaries(ctx, version)
	if err != nil {
		return err
	}
	if err := assets.Build(ctx, cluster.Kubelet, cluster.KubeProxy); err != nil {
		return err
	}
	_, err = cluster.CoreDNS(ctx)
	return err
}

// Start brings control plane and node up, inside a sandbox, and returns once
// pods run and names resolve.
func Start(ctx context.Context, opts Options) (*Node, error) {
	if !Inside() {
		return nil, errors.New("start node: want to be in a sandbox")
	}
	if err := furnish(ctx); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "taojob-node-")
	if err != nil {
		return nil, fmt.Errorf("start node: %w", err)
	}
	n := &Node{Dir: dir}
	n.Cluster, err = cluster.Start(ctx, cluster.Options{
		Version: opts.Version, Dir: filepath.Join(dir, "cluster"), Log: opts.Log, NodeLifecycle: true,
		Args: map[string][]string{cluster.APIServer: {
			"--bind-address=0.0.0.0", "--advertise-address=" + nodeIP, "--endpoint-reconciler-type=lease",
			"--kubelet-preferred-address-types=InternalIP",
		}},
	})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := n.startAll(ctx, opts); err != nil {
		return nil, errors.Join(fmt.Errorf("start node: %w", err), n.Stop())
	}
	return n, nil
}

func (n *Node) startAll(ctx context.Context, opts Options) error {
	for _, step := range []func(context.Context) error{
		n.startContainerd, n.importPause, n.startKubelet, n.startProxy, n.startDNS,
		func(ctx context.Context) error { return n.advertise(ctx, opts.GPUs) },
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// unmount takes what the kubelet and containerd mounted out of the node's
// folder, which could not be removed otherwise.
func (n *Node) unmount() error {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return fmt.Errorf("read mounts: %w", err)
	}
	var points []string
	for line := range strings.Lines(string(mounts)) {
		// The fifth field is the mount point: proc_pid_mountinfo(5).
		if fields := strings.Fields(line); len(fields) > 4 && strings.HasPrefix(fields[4], n.Dir+"/") {
			points = append(points, fields[4])
		}
	}
	var errs []error
	for _, point := range slices.Backward(points) {
		if err := syscall.Unmount(point, syscall.MNT_DETACH); err != nil && !errors.Is(err, syscall.EINVAL) {
			errs = append(errs, fmt.Errorf("unmount %s: %w", point, err))
		}
	}
	return errors.Join(errs...)
}

// start runs a component, which is then ours to stop.
func (n *Node) start(name, binary string, args ...string) (*process.Process, error) {
	p, err := process.Start(process.Command{Name: name, Dir: n.Dir, Binary: binary, Args: args})
	if err == nil {
		n.running = append(n.running, p)
	}
	return p, err
}

// Stop ends node and control plane and removes what they wrote. Containers end
// with the sandbox.
func (n *Node) Stop() error {
	var errs []error
	for i := len(n.running) - 1; i >= 0; i-- {
		errs = append(errs, n.running[i].Died(), n.running[i].Stop(stopGrace))
	}
	errs = append(errs, n.Cluster.Stop(), n.unmount(), os.RemoveAll(n.Dir))
	return errors.Join(errs...)
}
