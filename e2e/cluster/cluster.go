// Package cluster brings up a real Kubernetes control plane on loopback: etcd,
// kube-apiserver, kube-controller-manager and kube-scheduler of a chosen
// version. It needs Linux and a Go toolchain, neither Docker nor root: what
// binaries are missing it builds from the Go modules, once per machine.
//
// Everything about it is real but the nodes. AddNode registers nodes with GPUs
// that don't exist, which no kubelet serves; pods are scheduled to them, and
// stay Pending there unless StartKwok pretends to run them.
//
// Every cluster starts empty. It ends with Stop, or with the process that
// started it, even when that is killed; only a detached one stays until Down.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/taojob/taojob/e2e/internal/process"
)

// startTimeout bounds the start of the whole control plane, which takes
// seconds; machines that compile meanwhile are slow.
const startTimeout = 2 * time.Minute

// Options say which cluster to start; the zero value is a good one.
type Options struct {
	// Version as Resolve takes it; empty for DefaultVersion.
	Version string
	// Dir holds keys, data and logs. Empty for a temporary one that Stop removes.
	Dir string
	// Log gets a line for each component that is ready; nil for none.
	Log io.Writer
	// Args are further flags by component (Etcd, APIServer, …). They come
	// last, so that a flag given here replaces ours.
	Args map[string][]string
	// NodeLifecycle lets the cluster judge nodes by their heartbeats. It is off
	// by default, since nodes without a kubelet would be unready within a minute.
	NodeLifecycle bool
	// Detach lets the cluster outlive this process; Down stops it.
	Detach bool
}

// Cluster is a running control plane.
type Cluster struct {
	Kubeconfig string // an administrator's
	RESTConfig *rest.Config
	Client     kubernetes.Interface
	Assets     Assets
	Dir        string

	opts     Options
	reserved ports
	ports    map[string]int // by component
	pki      *pki
	http     *http.Client       // trusts the cluster's authority
	running  []*process.Process // in the order of their start
	tempDir  bool
}

// Start brings a cluster up and returns once it takes Jobs. The context bounds
// the start only.
func Start(ctx context.Context, opts Options) (*Cluster, error) {
	assets, err := Binaries(ctx, opts.Version)
	if err != nil {
		return nil, err
	}
	c := &Cluster{Assets: assets, Dir: opts.Dir, opts: opts}
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("not within %s", startTimeout))
	defer cancel()
	if err := c.makeDir(); err != nil {
		return nil, fmt.Errorf("prepare cluster: %w", err)
	}
	if err := c.prepare(); err != nil { //nolint:contextcheck // a port is free or not at once
		return nil, errors.Join(fmt.Errorf("prepare cluster: %w", err), c.halt())
	}
	if err := c.startAll(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start cluster %s: %w", assets.Version, err), c.halt())
	}
	return c, nil
}

// makeDir makes an empty folder for the cluster, or empties the one that a
// former cluster left of what that one wrote.
func (c *Cluster) makeDir() (err error) {
	if c.Dir == "" {
		c.tempDir = true
		c.Dir, err = os.MkdirTemp("", "taojob-cluster-")
		return err
	}
	if c.Dir, err = filepath.Abs(c.Dir); err != nil {
		return err
	}
	for _, name := range components {
		if process.Running(c.Dir, name) != 0 {
			return fmt.Errorf("use %s: the %s of another cluster runs there; stop that cluster first", c.Dir, name)
		}
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return err
	}
	for _, name := range components {
		_ = os.Remove(process.LogFile(c.Dir, name)) // most often there is none
	}
	return os.RemoveAll(filepath.Join(c.Dir, etcdData))
}

// prepare chooses the ports and writes the keys and kubeconfigs.
func (c *Cluster) prepare() error {
	numbers, err := c.Ports(len(components) + 1)
	if err != nil {
		return err
	}
	c.ports = map[string]int{etcdPeer: numbers[len(components)]}
	for i, name := range components {
		c.ports[name] = numbers[i]
	}
	if c.pki, err = newPKI(filepath.Join(c.Dir, "pki")); err != nil {
		return err
	}
	if err := c.pki.serving(); err != nil {
		return err
	}
	for _, name := range []string{ControllerManager, Scheduler} {
		if _, err := c.KubeconfigFor(name, "system:"+name); err != nil {
			return err
		}
	}
	if c.Kubeconfig, err = c.KubeconfigFor("admin", "admin", "system:masters"); err != nil {
		return err
	}
	return c.connect()
}

// Ports finds loopback ports that nobody listens on, for a server beside the
// cluster. No other cluster of this machine takes them until this one ends.
func (c *Cluster) Ports(n int) ([]int, error) { return c.reserved.reserve(n) }

// KubeconfigFor writes <name>.kubeconfig for a user and returns its path. The
// user may do what RBAC grants to the name or the groups.
func (c *Cluster) KubeconfigFor(name, user string, groups ...string) (string, error) {
	path := c.kubeconfigFile(name)
	return path, c.pki.writeKubeconfig(path, "https://"+address(c.ports[APIServer]), user, groups...)
}

// AuthorityFile is the certificate of the authority that signs all others, in PEM.
func (c *Cluster) AuthorityFile() string { return c.pki.certFile("ca") }

func (c *Cluster) kubeconfigFile(name string) string {
	return filepath.Join(c.Dir, name+".kubeconfig")
}

func (c *Cluster) connect() (err error) {
	if c.RESTConfig, err = clientcmd.BuildConfigFromFlags("", c.Kubeconfig); err != nil {
		return fmt.Errorf("read kubeconfig: %w", err)
	}
	c.RESTConfig.QPS = -1 // the server is ours alone
	if c.http, err = rest.HTTPClientFor(c.RESTConfig); err != nil {
		return fmt.Errorf("make client: %w", err)
	}
	c.Client, err = kubernetes.NewForConfigAndClient(c.RESTConfig, c.http)
	return err
}

// Wait blocks until the context ends (nil), or until a component dies.
func (c *Cluster) Wait(ctx context.Context) error {
	dead := make(chan error, len(c.running))
	for _, p := range c.running {
		go func() {
			select {
			case <-p.Done():
				dead <- p.Died()
			case <-ctx.Done():
			}
		}()
	}
	select {
	case err := <-dead:
		return err
	case <-ctx.Done():
		return nil
	}
}

// Stop ends all components, the last one first, and awaits their end. Its
// error names those that had died before or had to be killed.
func (c *Cluster) Stop() error {
	var errs []error
	for _, p := range c.running {
		errs = append(errs, p.Died())
	}
	return errors.Join(append(errs, c.halt())...)
}

// halt is Stop without the question who had died before.
func (c *Cluster) halt() error {
	var errs []error
	for _, p := range slices.Backward(c.running) {
		errs = append(errs, p.Stop(stopGrace))
	}
	c.running = nil
	c.reserved.release()
	if c.http != nil {
		c.http.CloseIdleConnections()
	}
	if c.tempDir {
		errs = append(errs, os.RemoveAll(c.Dir))
	}
	return errors.Join(errs...)
}

// Down stops the detached cluster of a folder and leaves its logs there. That
// nothing runs there is no error, so that it can be repeated.
func Down(ctx context.Context, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("stop cluster: %w", err)
	}
	var errs []error
	for _, name := range slices.Backward(components) {
		errs = append(errs, process.End(ctx, dir, name, stopGrace))
	}
	return errors.Join(errs...)
}
