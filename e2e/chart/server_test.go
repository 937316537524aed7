package chart

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taojob/taojob/e2e/internal/process"
)

// account is the user that the Deployment's pods are.
const account = "system:serviceaccount:" + Namespace + ":taojob-webhook"

// TestServer runs the webhook as the Deployment says: with its flags, its
// ConfigMaps and the permissions of its account, and nothing else. It has to
// become ready.
func TestServer(t *testing.T) {
	before, dir := everything(t), t.TempDir()
	binary := buildWebhook(t, dir)
	certs := filepath.Join(dir, "certs")
	for _, tc := range []struct {
		reason, values string
		then           func(t *testing.T)
	}{
		{"it makes its own certificate", "self-values.yaml", func(t *testing.T) { ownCertificate(t, certs) }},
		{"it takes a certificate that is there", "default-values.yaml", func(*testing.T) {}},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			ci := filepath.Join(root, folder, "ci")
			must(t, "", helm, "install", "taojob", filepath.Join(root, folder), "-n", Namespace,
				"-f", filepath.Join(ci, "full-values.yaml"), "-f", filepath.Join(ci, tc.values))
			defer uninstall(t, before)
			serve(t, binary, certs, tc.then)
		})
	}
}

// buildWebhook builds the server into a folder.
func buildWebhook(t *testing.T, dir string) string {
	t.Helper()
	binary := filepath.Join(dir, "webhook")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "./cmd/webhook")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the webhook: %v: %s", err, out)
	}
	return binary
}

// serve runs the server until it is ready, looks at what it has done, and stops it.
func serve(t *testing.T, binary, certs string, then func(*testing.T)) {
	t.Helper()
	dir := t.TempDir()
	kubeconfig, err := plane.KubeconfigFor("account", account, "system:serviceaccounts", "system:authenticated")
	if err != nil {
		t.Fatal(err)
	}
	ports, err := plane.Ports(3)
	if err != nil {
		t.Fatal(err)
	}
	address := func(i int) string { return fmt.Sprintf("127.0.0.1:%d", ports[i]) }
	// A flag that comes again wins: ours only say where on this machine. The socket
	// is kept by another container of the pod.
	args := append(flags(t, map[string]string{
		"/etc/taojob-policies":    mounted(t, dir, "taojob-policies"),
		"/etc/taojob/config.yaml": filepath.Join(mounted(t, dir, "taojob-config"), "config.yaml"),
		"/certs":                  certs,
	}), "--kubeconfig="+kubeconfig, "--host=127.0.0.1", fmt.Sprintf("--port=%d", ports[0]),
		"--health-addr="+address(1), "--metrics-addr="+address(2), "--socket=", "--drain=0s")
	p, err := process.Start(process.Command{Name: "webhook", Dir: dir, Binary: binary, Args: args, Env: []string{"POD_NAMESPACE=" + Namespace}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Kill()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err = p.Await(ctx, func(ctx context.Context) error { return ready(ctx, "http://"+address(1)+"/readyz?verbose") })
	if err != nil {
		log, _ := os.ReadFile(process.LogFile(dir, "webhook")) // it only helps
		t.Fatalf("%v\n%s", err, process.Tail(log, 15))
	}
	then(t)
}

// flags are the arguments of the Deployment's container, with files of this
// machine in the place of those in the pod.
func flags(t *testing.T, files map[string]string) []string {
	t.Helper()
	out := must(t, "", plane.Assets.Kubectl(), "-n", Namespace, "get", "deployment", "taojob-webhook",
		"-o", "jsonpath={.spec.template.spec.containers[?(@.name=='webhook')].args}")
	var args []string
	if err := json.Unmarshal([]byte(out), &args); err != nil {
		t.Fatal(err)
	}
	for i := range args {
		flag, value, _ := strings.Cut(args[i], "=")
		if file, ok := files[value]; ok {
			args[i] = flag + "=" + file
		}
	}
	return args
}

// mounted writes a ConfigMap's files to a folder, as the kubelet would.
func mounted(t *testing.T, dir, name string) string {
	t.Helper()
	out := must(t, "", plane.Assets.Kubectl(), "-n", Namespace, "get", "configmap", name, "-o", "jsonpath={.data}")
	var files map[string]string
	if err := json.Unmarshal([]byte(out), &files); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, name)
	writeFiles(t, folder, files)
	return folder
}

func writeFiles(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// ownCertificate checks that the server has written what it has made to where
// the API server and its other replicas find it, and keeps the certificate.
func ownCertificate(t *testing.T, certs string) {
	t.Helper()
	certificate := written(t, "tls.crt")
	checkTrusted(t, certificate)
	writeFiles(t, certs, map[string]string{"tls.crt": certificate, "tls.key": written(t, "tls.key")})
}

// ready asks the server's probe.
func ready(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("get %s: %s", url, resp.Status)
	}
	return nil
}
