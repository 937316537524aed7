package chart

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/taojob/taojob/e2e/cluster"
	"github.com/taojob/taojob/e2e/webhook"
)

// versionEnv names the variable that chooses the Kubernetes version.
const versionEnv = "E2E_KUBE_VERSION"

// definitions are modules that carry the definitions of the custom resources
// that the chart makes.
var definitions = []struct{ module, version, files string }{
	{"github.com/cert-manager/cert-manager", "v1.21.2", "deploy/crds/cert-manager.io_*.yaml"},
	{"github.com/prometheus-operator/prometheus-operator", "v0.92.1", "example/prometheus-operator-crd/*_servicemonitors.yaml"},
	{"github.com/prometheus-operator/prometheus-operator", "v0.92.1", "example/prometheus-operator-crd/*_prometheusrules.yaml"},
}

var (
	plane *cluster.Cluster
	helm  string
	root  string // of the checkout
	home  string // of the clients, for their caches
)

func TestMain(m *testing.M) {
	code, err := runAll(context.Background(), m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "chart:", err)
		code = 1
	}
	os.Exit(code)
}

func runAll(ctx context.Context, m *testing.M) (code int, err error) {
	if home, err = os.MkdirTemp("", "taojob-chart-"); err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	if root, err = webhook.Root(); err != nil {
		return 1, err
	}
	if helm, err = cluster.Helm(ctx); err != nil {
		return 1, err
	}
	if plane, err = cluster.Start(ctx, cluster.Options{Version: os.Getenv(versionEnv)}); err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, plane.Stop()) }()
	if err := define(ctx); err != nil {
		return 1, err
	}
	// What a pod template lacks for the level is said when it is written.
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: Namespace, Labels: map[string]string{"pod-security.kubernetes.io/warn": "restricted"},
	}}
	if _, err := plane.Client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		return 1, err
	}
	return m.Run(), nil
}

// define makes the custom resources known to the cluster.
func define(ctx context.Context) error {
	for _, d := range definitions {
		dir, err := cluster.Module(ctx, d.module, d.version)
		if err != nil {
			return err
		}
		files, err := filepath.Glob(filepath.Join(dir, d.files))
		if err != nil || len(files) == 0 {
			return fmt.Errorf("find %s in %s: %d files, %w", d.files, d.module, len(files), err)
		}
		for _, file := range files {
			// They are too large for the annotation of a client-side apply, and newer than
			// the oldest API server, which does without the fields that it doesn't know.
			if _, err := command(ctx, "", plane.Assets.Kubectl(), "create", "--validate=ignore", "-f", file); err != nil {
				return err
			}
		}
	}
	_, err := command(ctx, "", plane.Assets.Kubectl(), "wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
	return err
}

// result is how a client ended: what it printed, what it said beside that, and
// whether it was content.
type result struct {
	out, said string
	err       error
}

// run runs a client against the cluster.
func run(ctx context.Context, stdin, name string, args ...string) result {
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+plane.Kubeconfig, "HOME="+home)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &said
	err := cmd.Run()
	return result{out.String(), said.String(), err}
}

// command runs a client that has to succeed and returns what it printed.
func command(ctx context.Context, stdin, name string, args ...string) (string, error) {
	r := run(ctx, stdin, name, args...)
	if r.err != nil {
		return r.out, fmt.Errorf("run %s %s: %w: %s%s", filepath.Base(name), strings.Join(args, " "), r.err, r.out, r.said)
	}
	return r.out, nil
}

// must runs a client that has to succeed.
func must(t *testing.T, stdin, name string, args ...string) string {
	t.Helper()
	out, err := command(t.Context(), stdin, name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// old tells whether the API server is older than 1.28, and judges no match
// conditions.
func old() bool { return strings.HasPrefix(plane.Assets.Version, "1.27.") }

// examples are the values files of the chart's ci folder.
func examples(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, folder, "ci", "*-values.yaml"))
	if err != nil || len(files) < 4 {
		t.Fatalf("find values files: %d, %v", len(files), err)
	}
	return files
}
