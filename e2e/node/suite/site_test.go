package suite

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/taojob/taojob/e2e/cluster"
	"github.com/taojob/taojob/e2e/internal/wait"
	"github.com/taojob/taojob/e2e/node"
	"github.com/taojob/taojob/e2e/webhook"
)

// What somebody else's cluster needs said about it; see the package comment.
const (
	kubeconfigEnv   = "E2E_KUBECONFIG"
	webhookImageEnv = "E2E_WEBHOOK_IMAGE"
	torchImageEnv   = "E2E_TORCH_IMAGE"
	torchImage      = "docker.io/taojob/torch:node"
	webhookImage    = "docker.io/taojob/webhook:node"
	imageTool       = "tools/image" // in the checkout
)

// site is where the suite runs: on its own node, or on a cluster that exists.
type site struct {
	kubeconfig string
	config     *rest.Config
	client     kubernetes.Interface
	kubectl    string
	helm       string
	root       string     // of the checkout
	node       *node.Node // nil on a cluster that is not ours
	kills      []time.Time
	torch      string // an image with torchrun, or one that is lent the machine's
}

// open connects to the cluster that the environment names, or starts one.
func open(ctx context.Context) (*site, error) {
	s := &site{kubeconfig: os.Getenv(kubeconfigEnv), kubectl: "kubectl", torch: cmp.Or(os.Getenv(torchImageEnv), torchImage)}
	var err error
	if s.root, err = webhook.Root(); err != nil {
		return nil, err
	}
	if s.helm, err = cluster.Helm(ctx); err != nil {
		return nil, err
	}
	if s.kubeconfig == "" {
		if s.node, err = startNode(ctx); err != nil {
			return nil, err
		}
		s.kubeconfig, s.kubectl = s.node.Cluster.Kubeconfig, s.node.Cluster.Assets.Kubectl()
	}
	if s.config, err = clientcmd.BuildConfigFromFlags("", s.kubeconfig); err != nil {
		return nil, fmt.Errorf("read %s: %w", kubeconfigEnv, err)
	}
	s.config.QPS = -1
	s.client, err = kubernetes.NewForConfig(s.config)
	return s, err
}

func startNode(ctx context.Context) (*node.Node, error) {
	n, err := node.Start(ctx, node.Options{GPUs: 8, Log: os.Stderr})
	if err != nil {
		return nil, err
	}
	err = n.Import(ctx, node.Image{
		Name:  torchImage,
		Links: map[string]string{"/bin": "usr/bin", "/lib": "usr/lib", "/lib64": "usr/lib64"},
		Dirs:  []string{"/usr", "/tmp", "/src"},
	})
	if err != nil {
		return n, err
	}
	return n, importWebhook(ctx, n)
}

// importWebhook makes the webhook's image as for a release, and gives it to the
// node.
func importWebhook(ctx context.Context, n *node.Node) error {
	root, err := webhook.Root()
	if err != nil {
		return err
	}
	archive := filepath.Join(n.Dir, "webhook.tar")
	cmd := exec.CommandContext(ctx, "go", "run", ".", "--root", root, "--tag", webhookImage, "--platform", "linux/"+runtime.GOARCH, "--output", archive)
	cmd.Dir = filepath.Join(root, imageTool)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("make the webhook's image: %w: %s", err, out)
	}
	return n.ImportArchive(ctx, archive)
}

func (s *site) close() error {
	if s.node == nil {
		return nil
	}
	return s.node.Stop()
}

// command runs a client against the cluster and returns what it printed.
func (s *site) command(ctx context.Context, stdin, name string, args ...string) (string, error) {
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+s.kubeconfig)
	if s.node != nil {
		cmd.Env = append(cmd.Env, "HOME="+s.node.Dir)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &said
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("run %s %s: %w: %s%s", filepath.Base(name), strings.Join(args, " "), err, out.String(), said.String())
	}
	return out.String(), nil
}

// must runs a client that has to succeed.
func (s *site) must(t *testing.T, stdin, name string, args ...string) string {
	t.Helper()
	out, err := s.command(t.Context(), stdin, name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// namespace makes a namespace that goes with the test.
func (s *site) namespace(t *testing.T) string {
	t.Helper()
	ns, err := s.client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "taojob-test-"},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := s.client.CoreV1().Namespaces().Delete(context.Background(), ns.Name, metav1.DeleteOptions{})
		if err != nil {
			t.Error(err)
		}
	})
	return ns.Name
}

// await waits until something holds, and fails the test after the limit.
func await(t *testing.T, limit time.Duration, what string, holds func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), limit, errors.New("not within "+limit.String()))
	defer cancel()
	if err := wait.For(ctx, 100*time.Millisecond, holds); err != nil {
		t.Fatalf("wait until %s: %v", what, err)
	}
}

// gone is nil for the error of a look-up that found nothing.
func gone(_ any, err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.New("it is still there")
}
