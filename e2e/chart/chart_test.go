package chart

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace}}
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
			// They are too large for the annotation of a client-side apply, and
			// an old server leaves out what it does not know of them.
			if _, err := command(ctx, "", plane.Assets.Kubectl(), "create", "--validate=warn", "-f", file); err != nil {
				return err
			}
		}
	}
	_, err := command(ctx, "", plane.Assets.Kubectl(), "wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
	return err
}

// command runs a client against the cluster and returns what it printed.
func command(ctx context.Context, stdin, name string, args ...string) (string, error) {
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+plane.Kubeconfig, "HOME="+home)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &said
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("run %s %s: %w: %s%s", filepath.Base(name), strings.Join(args, " "), err, out.String(), said.String())
	}
	return out.String(), nil
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

// examples are the values files of the chart's ci folder.
func examples(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, folder, "ci", "*-values.yaml"))
	if err != nil || len(files) < 4 {
		t.Fatalf("find values files: %d, %v", len(files), err)
	}
	return files
}

func TestChart(t *testing.T) {
	chart := filepath.Join(root, folder)
	for _, values := range examples(t) {
		t.Run(filepath.Base(values), func(t *testing.T) {
			must(t, "", helm, "lint", "--strict", chart, "-f", values)
			// With --validate helm asks the cluster for its version, as an installation does.
			rendered := must(t, "", helm, "template", "taojob", chart, "-n", Namespace, "-f", values, "--validate")
			must(t, rendered, plane.Assets.Kubectl(), "apply", "--dry-run=server", "-f", "-")
		})
	}
}

// TestNames installs under other names, which must not get in each other's way.
func TestNames(t *testing.T) {
	for release, want := range map[string]string{
		"taojob":                   "taojob",
		"training":                 "training-taojob",
		"my-taojob-canary":         "my-taojob-canary",
		strings.Repeat("long", 13): strings.Repeat("long", 8) + "l-taojob",
	} {
		t.Run(release, func(t *testing.T) {
			rendered := must(t, "", helm, "template", release, filepath.Join(root, folder), "-n", "elsewhere")
			for _, name := range []string{"name: " + want, "name: " + want + "-webhook", "values: [\"kube-system\",\"elsewhere\"]"} {
				if !strings.Contains(rendered, name+"\n") {
					t.Errorf("%q is not in what was rendered", name)
				}
			}
		})
	}
}

func TestWrongValues(t *testing.T) {
	for reason, tc := range map[string]struct{ set, want string }{
		"an unknown mode is told with those there are":   {"certs.mode=letsencrypt", "certs/mode"},
		"a misspelled value is told":                     {"replicas=3", "replicas"},
		"a misspelled value below another is told":       {"image.repo=x", "repo"},
		"a number of replicas is a number":               {"replicaCount=two", "replicaCount"},
		"a tag has no digest's place":                    {"image.digest=latest", "digest"},
		"a policy is a file with a known ending":         {"policies.rule=x", "policies"},
		"provided certificates need their Secret named":  {"certs.mode=provided", "secretName"},
		"the API server waits half a minute at most":     {"webhooks.timeoutSeconds=60", "timeoutSeconds"},
		"a failure policy is one of two":                 {"webhooks.failurePolicy=fail", "failurePolicy"},
		"a level of the log is a known one":              {"log.level=trace", "level"},
		"what is done on a policy's error is one of two": {"onPolicyError=warn", "onPolicyError"},
		"a duration has a unit":                          {"drain=5", "drain"},
		"an excluded namespace is a name":                {"webhooks.excludedNamespaces={}", "excludedNamespaces"},
		"annotations are strings":                        {"podAnnotations.a=1", "podAnnotations"},
	} {
		t.Run(reason, func(t *testing.T) {
			_, err := command(t.Context(), "", helm, "template", "taojob", filepath.Join(root, folder), "--set", tc.set)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("render with %s: %v; want an error about %s", tc.set, err, tc.want)
			}
		})
	}
}

// TestLifecycle upgrades from the chart that was there before, and makes sure
// that an installation that is taken away leaves nothing behind.
func TestLifecycle(t *testing.T) {
	previous, err := filepath.Glob("testdata/taojob-*.tgz")
	if err != nil || len(previous) != 1 {
		t.Fatalf("find the previous chart: %v, %v", previous, err)
	}
	for _, mode := range []string{"cert-manager", "self"} {
		t.Run(mode, func(t *testing.T) {
			before := everything(t)
			args := []string{"upgrade", "--install", "taojob", "-n", Namespace, "--set", "certs.mode=" + mode}
			must(t, "", helm, append(args, previous[0])...)
			must(t, "", helm, append(args, filepath.Join(root, folder))...)
			upgraded := everything(t)
			must(t, "", helm, "rollback", "taojob", "1", "-n", Namespace)
			must(t, "", helm, append(args, filepath.Join(root, folder))...)
			must(t, "", helm, "uninstall", "taojob", "-n", Namespace, "--wait")
			if len(upgraded) <= len(before) {
				t.Errorf("the installation has no objects: %v", upgraded)
			}
			if diff := cmp.Diff(before, everything(t)); diff != "" {
				t.Errorf("what an installation leaves behind (-before +after):\n%s", diff)
			}
		})
	}
}

// passing are kinds of objects that come and go by themselves.
var passing = []string{"event", "lease.coordination", "endpoint", "pod", "replicaset", "componentstatus", "ipaddress", "controllerrevision"}

// everything lists all objects of the cluster by kind, namespace and name.
func everything(t *testing.T) []string {
	t.Helper()
	kubectl := plane.Assets.Kubectl()
	var kinds []string
	for _, kind := range strings.Fields(must(t, "", kubectl, "api-resources", "--verbs=list", "-o", "name")) {
		if !slices.ContainsFunc(passing, func(p string) bool { return strings.HasPrefix(kind, p) }) {
			kinds = append(kinds, kind)
		}
	}
	out := must(t, "", kubectl, "get", strings.Join(kinds, ","), "-A", "--ignore-not-found", "--show-kind", "--no-headers",
		"-o", "custom-columns=KIND:.kind,NAMESPACE:.metadata.namespace,NAME:.metadata.name")
	var objects []string
	for line := range strings.Lines(out) {
		objects = append(objects, strings.Join(strings.Fields(line), " "))
	}
	slices.Sort(objects)
	return objects
}
