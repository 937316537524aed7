package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/taojob/taojob/e2e/cluster"
	"github.com/taojob/taojob/e2e/webhook"
)

func TestADetachedClusterStaysUntilDown(t *testing.T) {
	dir := t.TempDir()
	t.Cleanup(func() { _, _ = run(context.Background(), "down", "--dir", dir) })
	out, err := run(t.Context(), "up", "--dir", dir, "--nodes", "2", "--gpus", "3", "--detach")
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := filepath.Join(dir, "admin.kubeconfig")
	if want := "export KUBECONFIG=" + kubeconfig + "\n"; out != want {
		t.Errorf("up prints %q, want %q, since a shell evaluates it", out, want)
	}
	checkNodes(t, kubeconfig, 2, 3)
	if _, err := run(t.Context(), "up", "--dir", dir); err == nil || !strings.Contains(err.Error(), "stop that cluster first") {
		t.Errorf("a second up in the same folder: %v", err)
	}
	for range 2 {
		if _, err := run(t.Context(), "down", "--dir", dir); err != nil {
			t.Error(err)
		}
	}
	checkDown(t, dir)
}

func TestTheWebhookComesAndGoesWithItsCluster(t *testing.T) {
	dir := t.TempDir()
	t.Cleanup(func() { _, _ = run(context.Background(), "down", "--dir", dir) })
	if _, err := run(t.Context(), "up", "--dir", dir, "--webhook", "--detach"); err != nil {
		t.Fatal(err)
	}
	kubeconfig := filepath.Join(dir, "admin.kubeconfig")
	checkNodes(t, kubeconfig, 2, 8)
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	jobs := kubernetes.NewForConfigOrDie(config).BatchV1().Jobs("default")
	j, err := jobs.Create(t.Context(), webhook.Job("run"), metav1.CreateOptions{})
	if err != nil || j.Annotations["tao.nvidia.com/injected"] == "" {
		t.Errorf("the Job was not injected: %v %v", err, j.Annotations)
	}
	if _, err := run(t.Context(), "down", "--dir", dir); err != nil {
		t.Error(err)
	}
	checkDown(t, dir)
	checkDown(t, filepath.Join(dir, "webhook"))
}

func TestAClusterInTheForegroundEndsWithItsCommand(t *testing.T) {
	dir := t.TempDir()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	cmd := root()
	out, in := io.Pipe()
	cmd.SetOut(in)
	cmd.SetErr(io.Discard)
	cmd.SetArgs([]string{"up", "--dir", dir})
	ended := make(chan error, 1)
	go func() {
		err := cmd.ExecuteContext(ctx)
		_ = in.CloseWithError(io.EOF)
		ended <- err
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "export KUBECONFIG=") {
		t.Errorf("up prints %q (%v)", line, err)
	}
	interrupt()
	if err := <-ended; err != nil {
		t.Errorf("an interrupted up: %v", err)
	}
	checkDown(t, dir)
}

func TestDownRemovesTheDefaultFolderOnly(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	named := t.TempDir()
	for _, dir := range []string{defaultDir(), filepath.Join(cache, "other"), named} {
		if err := os.MkdirAll(filepath.Join(dir, "pki"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"down"}, {"down"}, {"down", "--dir", named}} {
		if _, err := run(t.Context(), args...); err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(cache); err != nil || len(left) != 1 || left[0].Name() != "other" {
		t.Errorf("left in the cache: %v %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(named, "pki")); err != nil {
		t.Errorf("a folder that was named: %v", err)
	}
}

func TestTheHintNamesHowToStop(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	named := t.TempDir()
	for name, tc := range map[string]struct {
		dir    string
		detach bool
		want   string
	}{
		"the default folder has a target of make": {defaultDir(), true, "make cluster-down\n"},
		"another one has to be named":             {named, true, "down --dir " + named},
		"in the foreground a key is enough":       {defaultDir(), false, "Ctrl-C"},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			hint(upOptions{Options: cluster.Options{Detach: tc.detach, Log: &log}}, &cluster.Cluster{Dir: tc.dir})
			if !strings.Contains(log.String(), tc.want) {
				t.Errorf("%q, want %q", log.String(), tc.want)
			}
		})
	}
}

func TestWrongArguments(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"an unknown version tells what works": {[]string{"up", "--version", "1.12"}, "want one of 1.27"},
		"build takes no version argument":     {[]string{"build", "1.27"}, `unknown command "1.27"`},
		"a mistyped command is refused":       {[]string{"upp"}, "unknown command"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := run(t.Context(), tc.args...)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
		})
	}
}

func run(ctx context.Context, args ...string) (string, error) {
	cmd := root() //nolint:contextcheck // it gets the context when it is executed
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(io.Discard)
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(ctx)
	return out.String(), err
}

func checkNodes(t *testing.T, kubeconfig string, nodes int, gpus int64) {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	list, err := kubernetes.NewForConfigOrDie(config).CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) != nodes {
		t.Fatalf("%d nodes (%v), want %d", len(list.Items), err, nodes)
	}
	for _, node := range list.Items {
		if q := node.Status.Allocatable["nvidia.com/gpu"]; q.Value() != gpus {
			t.Errorf("node %s offers %s GPUs, want %d", node.Name, q.String(), gpus)
		}
	}
}

func checkDown(t *testing.T, dir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, "*.pid"))
	if err != nil || len(left) > 0 {
		t.Errorf("still running: %v %v", left, err)
	}
	logs, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil || len(logs) == 0 {
		t.Errorf("the logs should stay: %v %v", logs, err)
	}
}
