// Package webhook runs cmd/webhook of this checkout against a cluster: as a
// process on the machine, where a real installation has a pod. All else is as
// in one: the registered webhooks and the permissions are those of config/,
// with only the address changed.
package webhook

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/taojob/taojob/e2e/cluster"
	"github.com/taojob/taojob/e2e/internal/process"
)

// folder of the webhook in that of its cluster, and the name of its process.
const folder = "webhook"

// startTimeout bounds a start. It takes a second or two; machines that compile
// meanwhile are slow.
const startTimeout = time.Minute

// stopGrace is how long the webhook may take to stop. It gives its open
// requests as long as a pod has by default.
const stopGrace = 30 * time.Second

// Options say how to run the webhook; the zero value is a good one.
type Options struct {
	// Name of the configurations and, with "-webhook" behind, of the role and
	// the user. Empty for taojob.
	Name string
	// Command stands for "webhook serve" and takes the same flags. Nil for
	// cmd/webhook, which is then built.
	Command []string
	// Args are further flags, and win over ours.
	Args []string
	// Namespace is the only one whose objects the webhook is asked about, to
	// keep two of them on one cluster apart. Empty for what config/ says.
	Namespace string
	// Self makes the webhook keep its own certificate, in a Secret of Namespace.
	Self bool
	// Env are further variables of the process.
	Env []string
	// Detach lets the webhook outlive this process; Down stops it.
	Detach bool
	// Log gets a line about each step; nil for none.
	Log io.Writer
}

// Webhook is a webhook that a cluster's API server asks.
type Webhook struct {
	Dir     string // keys and the log
	LogFile string

	opts      Options
	cluster   *cluster.Cluster
	authority *authority
	command   []string
	process   *process.Process
	address   string // of the webhooks
	health    string // of readyz
	metrics   string
}

// Start builds and runs the webhook, and returns once the API server asks it.
// The context bounds the start only.
func Start(ctx context.Context, c *cluster.Cluster, opts Options) (*Webhook, error) {
	if opts.Name == "" {
		opts.Name = "taojob"
	}
	w := &Webhook{opts: opts, cluster: c, Dir: folderOf(c.Dir, opts.Name)}
	w.LogFile = process.LogFile(w.Dir, folder)
	if err := w.start(ctx); err != nil {
		w.Kill()
		return nil, fmt.Errorf("start webhook %s: %w", opts.Name, err)
	}
	return w, nil
}

func (w *Webhook) start(ctx context.Context) error {
	root, err := Root()
	if err != nil {
		return err
	}
	config, err := readConfig(root)
	if err != nil {
		return err
	}
	if err := w.prepare(ctx, root); err != nil {
		return err
	}
	if err := w.grant(ctx, &config.role); err != nil {
		return err
	}
	if err := w.runAndRegister(ctx, config); err != nil {
		return err
	}
	if w.opts.Command != nil { // it may accept everything
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	return w.awaitDenial(ctx)
}

// runAndRegister does both. A webhook that keeps its own certificate is ready
// only when the configurations are there for it to put its authority into.
func (w *Webhook) runAndRegister(ctx context.Context, config *objects) error {
	if !w.opts.Self {
		if err := w.Run(ctx); err != nil {
			return err
		}
		return w.register(ctx, config)
	}
	if err := w.prepareSelf(ctx); err != nil {
		return err
	}
	if err := w.register(ctx, config); err != nil {
		return err
	}
	return w.Run(ctx)
}

// prepare builds the binary and writes what it reads.
func (w *Webhook) prepare(ctx context.Context, root string) (err error) {
	if pid := process.Running(w.Dir, folder); pid != 0 {
		return fmt.Errorf("use %s: the webhook of another cluster runs there as %d; stop that one first", w.Dir, pid)
	}
	certs := filepath.Join(w.Dir, "certs")
	if err := os.MkdirAll(certs, 0o700); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	if w.authority, err = newAuthority(); err != nil {
		return err
	}
	if _, err := w.authority.issue(certs); err != nil {
		return err
	}
	kubeconfig, err := w.cluster.KubeconfigFor(w.opts.Name, w.opts.Name+"-webhook")
	if err != nil {
		return err
	}
	if w.command, err = w.base(ctx, root); err != nil {
		return err
	}
	if err := w.choosePorts(); err != nil { //nolint:contextcheck // a port is free or not at once
		return err
	}
	w.command = append(w.command, "--cert-dir", certs, "--host", "127.0.0.1", "--kubeconfig", kubeconfig, "--log-level", "debug")
	w.command = append(w.command, w.addresses()...)
	if w.opts.Self {
		w.command = append(w.command, w.selfArgs()...)
	}
	w.command = append(w.command, w.opts.Args...)
	return nil
}

func (w *Webhook) choosePorts() error {
	ports, err := w.cluster.Ports(3)
	if err != nil {
		return err
	}
	w.address, w.health, w.metrics = address(ports[0]), address(ports[1]), address(ports[2])
	return nil
}

// addresses are the flags about them.
func (w *Webhook) addresses() []string {
	_, port, _ := net.SplitHostPort(w.address) // it is of our making
	return []string{"--port", port, "--health-addr", w.health, "--metrics-addr", w.metrics}
}

func (w *Webhook) base(ctx context.Context, root string) ([]string, error) {
	if w.opts.Command != nil {
		return w.opts.Command, nil
	}
	binary := filepath.Join(w.Dir, "webhook")
	began := time.Now()
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, "./cmd/webhook")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build cmd/webhook: %w\n%s", err, out)
	}
	w.log("built the webhook in %s", time.Since(began).Round(time.Millisecond))
	return []string{binary, "serve"}, nil
}

// Run starts the process, at first or again, and waits until it is ready.
func (w *Webhook) Run(ctx context.Context) (err error) {
	began := time.Now()
	w.process, err = process.Start(process.Command{
		Name: folder, Dir: w.Dir, Binary: w.command[0], Args: w.command[1:], Detach: w.opts.Detach,
		Env: append([]string{"POD_NAMESPACE=" + w.opts.Namespace}, w.opts.Env...),
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := w.process.Await(ctx, w.Ready); err != nil {
		return err
	}
	w.log("the webhook is ready after %s", time.Since(began).Round(time.Millisecond))
	return nil
}

// Stop asks the process to end; anything but exit status 0 is an error.
func (w *Webhook) Stop() error {
	if err := w.process.Died(); err != nil {
		return err
	}
	if err := w.process.Stop(stopGrace); err != nil {
		return err
	}
	if err := w.process.Result(); err != nil {
		return fmt.Errorf("stop webhook: %w; its log is %s", err, w.LogFile)
	}
	return nil
}

// Kill ends the process at once, as a node that fails would. What does not run
// need not be killed.
func (w *Webhook) Kill() {
	if w.process != nil {
		w.process.Kill()
	}
}

// Down stops the webhook that was started with Detach in the folder of a
// cluster. That none runs there is no error.
func Down(ctx context.Context, clusterDir string) error {
	dir, err := filepath.Abs(filepath.Join(clusterDir, folder))
	if err != nil {
		return fmt.Errorf("stop webhook: %w", err)
	}
	return process.End(ctx, dir, folder, stopGrace)
}

// Renew replaces the serving certificate while the process runs, and returns
// the new one.
func (w *Webhook) Renew() (*x509.Certificate, error) {
	return w.authority.issue(filepath.Join(w.Dir, "certs"))
}

// Served returns the certificate that a new connection gets.
func (w *Webhook) Served(ctx context.Context) (*x509.Certificate, error) {
	pool, err := w.roots(ctx)
	if err != nil {
		return nil, err
	}
	dialer := tls.Dialer{Config: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
	if w.opts.Self {
		dialer.Config.ServerName = "localhost"
	}
	conn, err := dialer.DialContext(ctx, "tcp", w.address)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close() }() // it is asked for nothing
	return conn.(*tls.Conn).ConnectionState().PeerCertificates[0], nil
}

// Metrics returns what a Prometheus server would read.
func (w *Webhook) Metrics(ctx context.Context) (string, error) {
	return get(ctx, "http://"+w.metrics+"/metrics")
}

// Ready asks readyz; nil when the webhook is ready.
func (w *Webhook) Ready(ctx context.Context) error {
	_, err := get(ctx, "http://"+w.health+"/readyz")
	return err
}

func (w *Webhook) log(format string, args ...any) {
	if w.opts.Log != nil {
		fmt.Fprintf(w.opts.Log, format+"\n", args...)
	}
}
