package cluster

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/taojob/taojob/e2e/internal/process"
	"github.com/taojob/taojob/e2e/internal/wait"
)

const (
	kwok     = "kwok"
	etcdPeer = "etcd peers" // its second port
	etcdData = "etcd"

	serviceRange = "10.0.0.0/24"
	serviceIP    = "10.0.0.1" // the API server's own Service
)

// stopGrace is how long a component may take to stop before it is killed.
const stopGrace = 20 * time.Second

// components in the order of their start.
var components = []string{Etcd, APIServer, ControllerManager, Scheduler, kwok}

// startAll starts the control plane. A component that isn't ready is never
// built on: the controller manager would give up without a server.
func (c *Cluster) startAll(ctx context.Context) error {
	for _, group := range [][]string{{Etcd}, {APIServer}, {ControllerManager, Scheduler}} {
		if err := c.start(ctx, group...); err != nil {
			return err
		}
	}
	// The server refuses pods until their service account exists.
	return wait.For(ctx, 20*time.Millisecond, func(ctx context.Context) error {
		_, err := c.Client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
}

// start launches components side by side and waits until all are ready.
func (c *Cluster) start(ctx context.Context, names ...string) error {
	began := time.Now()
	var started []*process.Process
	for _, name := range names {
		p, err := c.run(name, c.Assets.Path(name), c.flags(name))
		if err != nil {
			return err
		}
		started = append(started, p)
	}
	for _, p := range started {
		if err := p.Await(ctx, func(ctx context.Context) error { return c.healthy(ctx, p.Name) }); err != nil {
			return err
		}
		c.log("%s is ready after %s", p.Name, time.Since(began).Round(time.Millisecond))
	}
	return nil
}

// run starts a component, which is then ours to stop.
func (c *Cluster) run(name, binary string, flags []string) (*process.Process, error) {
	p, err := process.Start(process.Command{
		Name: name, Dir: c.Dir, Binary: binary, Args: slices.Concat(flags, c.opts.Args[name]), Detach: c.opts.Detach,
		Env: []string{"KWOK_WORKDIR=" + c.Dir}, // not the user's own kwok configuration
	})
	if err == nil {
		c.running = append(c.running, p)
	}
	return p, err
}

func (c *Cluster) log(format string, args ...any) {
	if c.opts.Log != nil {
		fmt.Fprintf(c.opts.Log, format+"\n", args...)
	}
}

// flags are all that differ from the defaults of a component.
func (c *Cluster) flags(name string) []string {
	switch name {
	case Etcd:
		return c.etcdFlags()
	case APIServer:
		return c.apiServerFlags()
	case ControllerManager:
		return append(c.controlFlags(name), c.controllerFlags()...)
	default:
		return c.controlFlags(name)
	}
}

// etcdFlags leave its data unsynced: the cluster doesn't outlive the machine.
func (c *Cluster) etcdFlags() []string {
	clients, peers := "http://"+address(c.ports[Etcd]), "http://"+address(c.ports[etcdPeer])
	return []string{
		"--data-dir=" + filepath.Join(c.Dir, etcdData), "--unsafe-no-fsync",
		"--listen-client-urls=" + clients, "--advertise-client-urls=" + clients,
		"--listen-peer-urls=" + peers, "--initial-advertise-peer-urls=" + peers, "--initial-cluster=default=" + peers,
		// It elects itself only after this many milliseconds, by default 1000.
		"--heartbeat-interval=10", "--election-timeout=100",
	}
}

// apiServerFlags make the server keep no endpoints of its own, since no pod is
// there to use them. It wants an address for them even so: not a loopback one,
// and without a flag that of the default route, which an offline machine lacks.
// The one it gets is reserved for documentation.
func (c *Cluster) apiServerFlags() []string {
	return append(c.servingFlags(APIServer),
		"--etcd-servers=http://"+address(c.ports[Etcd]),
		"--client-ca-file="+c.pki.certFile("ca"),
		"--service-cluster-ip-range="+serviceRange,
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file="+filepath.Join(c.pki.dir, "sa.pub"),
		"--service-account-signing-key-file="+c.pki.keyFile("sa"),
		"--authorization-mode=Node,RBAC",
		"--allow-privileged=true",
		// Where nodes are real, it asks their kubelets as an administrator.
		"--kubelet-client-certificate="+c.pki.certFile(adminKubeconfig),
		"--kubelet-client-key="+c.pki.keyFile(adminKubeconfig),
		"--endpoint-reconciler-type=none",
		"--advertise-address=192.0.2.1",
		// It ends its clients' watches when it stops, instead of waiting for
		// them a minute.
		"--shutdown-watch-termination-grace-period=1s",
	)
}

// controllerFlags give each controller its own account, as in any cluster, and
// switch the one off that would condemn nodes without a kubelet.
func (c *Cluster) controllerFlags() []string {
	flags := []string{
		"--use-service-account-credentials=true",
		"--service-account-private-key-file=" + c.pki.keyFile("sa"),
		"--root-ca-file=" + c.pki.certFile("ca"),
	}
	if c.opts.NodeLifecycle {
		return flags
	}
	name := "node-lifecycle-controller"
	if minor(c.Assets.Version) < 28 {
		name = "nodelifecycle"
	}
	return append(flags, "--controllers=*,-"+name)
}

// controlFlags are those of a component that works through the API server.
func (c *Cluster) controlFlags(name string) []string {
	kubeconfig := c.kubeconfigFile(name)
	return append(c.servingFlags(name),
		"--kubeconfig="+kubeconfig,
		"--authentication-kubeconfig="+kubeconfig,
		"--authorization-kubeconfig="+kubeconfig,
		"--leader-elect=false", // there is no rival to wait for
		// The default of 20 a second is for shared servers, and costs five
		// seconds at the start, when every controller asks for its account.
		"--kube-api-qps=1000", "--kube-api-burst=1000",
	)
}

func (c *Cluster) servingFlags(name string) []string {
	return []string{
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", c.ports[name]),
		"--tls-cert-file=" + c.pki.certFile("serving"),
		"--tls-private-key-file=" + c.pki.keyFile("serving"),
	}
}

// healthy asks a component whether it is ready to work.
func (c *Cluster) healthy(ctx context.Context, name string) error {
	url := map[string]string{
		Etcd:      "http://%s/readyz",
		APIServer: "https://%s/readyz",
		kwok:      "http://%s/readyz",
	}[name]
	if url == "" { // the others have only this one in all our versions
		url = "https://%s/healthz"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf(url, address(c.ports[name])), nil)
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("ask %s for its health: %s: %s", name, resp.Status, process.Tail(body, 5))
	}
	return err
}

// StopAPIServer stops the API server alone; what the others do meanwhile is
// up to them.
func (c *Cluster) StopAPIServer() error {
	i := slices.IndexFunc(c.running, func(p *process.Process) bool { return p.Name == APIServer })
	if i < 0 {
		return fmt.Errorf("stop %s: it isn't running", APIServer)
	}
	p := c.running[i]
	c.running = slices.Delete(c.running, i, i+1)
	return p.Stop(stopGrace)
}

// StartAPIServer starts a stopped API server at its old address and waits
// until it is ready. It is then the last one to start, so the first to stop.
func (c *Cluster) StartAPIServer(ctx context.Context) error {
	if slices.ContainsFunc(c.running, func(p *process.Process) bool { return p.Name == APIServer }) {
		return fmt.Errorf("start %s: it is running", APIServer)
	}
	return c.start(ctx, APIServer)
}
