package chart

import (
	"context"
	"crypto/tls"
	"crypto/x509"
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
		then           func(t *testing.T, address string)
	}{
		{"it makes its own certificate", "self-values.yaml", func(t *testing.T, address string) {
			checkServed(t, address)
			keepCertificate(t, certs)
		}},
		{"it takes a certificate that is there", "default-values.yaml", func(*testing.T, string) {}},
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

// serve runs the pod's containers until the server is ready, looks at what it
// serves at an address, and stops it.
func serve(t *testing.T, binary, certs string, then func(t *testing.T, address string)) {
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
	files := map[string]string{
		"/etc/taojob-policies":    mounted(t, dir, "taojob-policies"),
		"/etc/taojob/config.yaml": filepath.Join(mounted(t, dir, "taojob-config"), "config.yaml"),
		"/certs":                  certs,
		"/run/taojob/socket":      filepath.Join(dir, "socket"),
	}
	// A flag that comes again wins: ours only say where on this machine.
	start(t, dir, binary, "port", append(flags(t, "port", files), "--address="+address(0)))
	p := start(t, dir, binary, "webhook", append(flags(t, "webhook", files),
		"--kubeconfig="+kubeconfig, "--health-addr="+address(1), "--metrics-addr="+address(2), "--drain=0s"))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err = p.Await(ctx, func(ctx context.Context) error { return ready(ctx, "http://"+address(1)+"/readyz?verbose") })
	if err != nil {
		log, _ := os.ReadFile(process.LogFile(dir, "webhook")) // it only helps
		t.Fatalf("%v\n%s", err, process.Tail(log, 15))
	}
	then(t, address(0))
}

// start runs a container's process until the test ends.
func start(t *testing.T, dir, binary, name string, args []string) *process.Process {
	t.Helper()
	p, err := process.Start(process.Command{Name: name, Dir: dir, Binary: binary, Args: args, Env: []string{"POD_NAMESPACE=" + Namespace}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

// flags are the arguments of a container of the Deployment, with files of this
// machine in the place of those in the pod.
func flags(t *testing.T, container string, files map[string]string) []string {
	t.Helper()
	out := must(t, "", plane.Assets.Kubectl(), "-n", Namespace, "get", "deployment", "taojob-webhook",
		"-o", "jsonpath={.spec.template.spec.containers[?(@.name=='"+container+"')].args}")
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

// keepCertificate writes what the server has made, and its other replicas find,
// to a folder.
func keepCertificate(t *testing.T, certs string) {
	t.Helper()
	certificate := written(t, "tls.crt")
	checkTrusted(t, certificate)
	writeFiles(t, certs, map[string]string{"tls.crt": certificate, "tls.key": written(t, "tls.key")})
}

// checkServed calls the server as the API server does.
func checkServed(t *testing.T, address string) {
	t.Helper()
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM([]byte(field(t, "mutatingwebhookconfiguration", "taojob", "{.webhooks[0].clientConfig.caBundle}"))) {
		t.Fatal("no authority is named")
	}
	dialer := tls.Dialer{Config: &tls.Config{RootCAs: trusted, ServerName: "taojob-webhook." + Namespace + ".svc", MinVersion: tls.VersionTLS12}}
	conn, err := dialer.DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
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
