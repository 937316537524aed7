package suite

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	system     = "taojob-system"
	release    = "taojob"
	deployment = "taojob-webhook"
	tlsSecret  = "taojob-webhook-tls"
	// webhookPods selects the Deployment's pods.
	webhookPods = "app.kubernetes.io/component=webhook"
	replicas    = 2 // the chart's default
	// chart of the checkout, from its top.
	chart = "charts/taojob"
)

// install installs the chart with certificates of one mode, and takes it away
// again after the test.
func (s *site) install(t *testing.T, mode string, more ...string) {
	t.Helper()
	s.upgrade(t, mode, more...)
	t.Cleanup(func() {
		_, err := s.command(context.Background(), "", s.helm, "uninstall", release, "-n", system, "--wait")
		if err != nil {
			t.Error(err)
		}
		if _, err := s.command(context.Background(), "", s.kubectl, "-n", system, "wait", "pod", "--all", "--for=delete", "--timeout=1m"); err != nil {
			t.Error(err)
		}
		left, err := s.command(context.Background(), "", s.kubectl, "-n", system, "get", "deployments,services,secrets,configmaps,serviceaccounts,roles", "-o", "name")
		if want := "configmap/kube-root-ca.crt\nserviceaccount/default\n"; err != nil || left != want {
			t.Errorf("an installation that is taken away leaves %q, %v; want %q", left, err, want)
		}
	})
	s.answering(t)
}

// upgrade runs helm upgrade --install and waits as long as helm does.
func (s *site) upgrade(t *testing.T, mode string, more ...string) {
	t.Helper()
	args := []string{
		"upgrade", "--install", release, filepath.Join(s.root, chart), "-n", system, "--create-namespace",
		"--wait", "--timeout", "3m", "--set", "certs.mode=" + mode,
	}
	s.must(t, "", s.helm, append(append(args, s.imageValues(t)...), more...)...)
}

// imageValues tell the chart which image to run.
func (s *site) imageValues(t *testing.T) []string {
	t.Helper()
	reference := os.Getenv(webhookImageEnv)
	if s.node != nil {
		reference = webhookImage
	}
	if reference == "" {
		return nil // the chart's own
	}
	repository, tag, ok := strings.Cut(reference, ":")
	if !ok {
		t.Fatalf("read %s: want repository:tag", webhookImageEnv)
	}
	return []string{"--set", "image.repository=" + repository, "--set", "image.tag=" + tag}
}
