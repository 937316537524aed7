package chart

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/taojob/taojob/e2e/internal/process"
	"github.com/taojob/taojob/e2e/internal/wait"
)

// TestCertManager installs the chart where cert-manager's own controllers make
// what it asks for: a certificate that the API server trusts and the server
// serves, which an upgrade leaves alone and which goes with the installation.
func TestCertManager(t *testing.T) {
	before, dir := everything(t), t.TempDir()
	startCertManager(t, dir)
	ci := filepath.Join(root, folder, "ci")
	upgrade := []string{"upgrade", "--install", "taojob", filepath.Join(root, folder), "-n", Namespace,
		"-f", filepath.Join(ci, "full-values.yaml"), "-f", filepath.Join(ci, "default-values.yaml")}
	must(t, "", helm, upgrade...)
	defer uninstall(t, before)
	kubectl := plane.Assets.Kubectl()
	must(t, "", kubectl, "-n", Namespace, "wait", "--for=condition=Ready", "certificate/taojob-webhook", "--timeout=1m")
	awaitAuthority(t)
	certificate := written(t, "tls.crt")
	checkTrusted(t, certificate)

	must(t, "", helm, upgrade...)
	if diff := cmp.Diff(certificate, written(t, "tls.crt")); diff != "" {
		t.Errorf("an upgrade takes another certificate (-before +after):\n%s", diff)
	}
	checkTrusted(t, certificate)

	certs := filepath.Join(dir, "certs")
	writeFiles(t, certs, map[string]string{"tls.crt": certificate, "tls.key": written(t, "tls.key")})
	serve(t, buildWebhook(t, dir), certs, checkServed)
}

// startCertManager runs cert-manager's controllers until the test ends.
func startCertManager(t *testing.T, dir string) {
	t.Helper()
	binary := filepath.Join(dir, "certmanager")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".")
	build.Dir, build.Env = filepath.Join(root, "e2e", "certmanager"), append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build cert-manager: %v: %s", err, out)
	}
	// Its arguments are none of its own; they tell whose process it is.
	p, err := process.Start(process.Command{Name: "certmanager", Dir: dir, Binary: binary, Args: []string{dir}, Env: []string{"KUBECONFIG=" + plane.Kubeconfig}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Died(); err != nil {
			t.Error(err)
		}
		p.Kill()
	})
}

// awaitAuthority waits until both webhook configurations say whom to trust.
func awaitAuthority(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err := wait.For(ctx, 200*time.Millisecond, func(context.Context) error {
		for _, kind := range []string{"mutatingwebhookconfiguration", "validatingwebhookconfiguration"} {
			if field(t, kind, "taojob", "{.webhooks[0].clientConfig.caBundle}") == "" { //nolint:contextcheck // it is that of the test
				return fmt.Errorf("the %s says nobody yet", kind)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// written is what the certificate's Secret holds under a name.
func written(t *testing.T, name string) string {
	t.Helper()
	content := field(t, "secret", "taojob-webhook-tls", "{.data."+strings.ReplaceAll(name, ".", `\.`)+"}")
	if content == "" {
		t.Errorf("the Secret has no %s", name)
	}
	return content
}

// field is what a field of an object holds in base64.
func field(t *testing.T, kind, name, path string) string {
	t.Helper()
	content, err := base64.StdEncoding.DecodeString(must(t, "", plane.Assets.Kubectl(), "-n", Namespace, "get", kind, name, "-o", "jsonpath="+path))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// checkTrusted makes sure that every webhook names an authority by which the
// API server takes the certificate for the Service's.
func checkTrusted(t *testing.T, certificate string) {
	t.Helper()
	block, _ := pem.Decode([]byte(certificate))
	if block == nil {
		t.Fatal("the certificate is none")
	}
	leaf, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	for path, kind := range map[string]string{
		"{.webhooks[0].clientConfig.caBundle}": "mutatingwebhookconfiguration",
		"{.webhooks[1].clientConfig.caBundle}": "validatingwebhookconfiguration",
	} {
		trusted := x509.NewCertPool()
		if !trusted.AppendCertsFromPEM([]byte(field(t, kind, "taojob", path))) {
			t.Errorf("the %s names no authority", kind)
		}
		if _, err := leaf.Verify(x509.VerifyOptions{Roots: trusted, DNSName: "taojob-webhook." + Namespace + ".svc"}); err != nil {
			t.Errorf("the %s: %v", kind, err)
		}
	}
}
