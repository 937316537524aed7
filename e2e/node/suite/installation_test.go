package suite

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/taojob/taojob/e2e/webhook"
)

// disturbance is something that happens to an installation.
type disturbance struct {
	reason string
	outage bool // of the API server, made by the disturbance itself
	do     func(t *testing.T, mode string)
}

func disturbances() []disturbance {
	return []disturbance{
		{reason: "a rolling upgrade fails no admission", do: here.rollOut},
		{reason: "a rotated certificate fails no admission", do: here.rotate},
		{reason: "the death of a replica fails no admission", do: here.kill},
		{reason: "a restart of the API server fails no admission beyond itself", outage: true, do: here.restartAPIServer},
	}
}

// TestInstallation disturbs an installation in all the ways that a cluster
// does in a year, while Jobs are created all the time. None of them may fail.
func TestInstallation(t *testing.T) {
	for _, mode := range []string{"cert-manager", "self"} {
		t.Run(mode, func(t *testing.T) {
			if mode == "cert-manager" {
				here.needCertManager(t)
			}
			here.install(t, mode)
			if mode == "cert-manager" {
				t.Run("Jobs train", here.trains)
			}
			t.Run("the doctor finds nothing to fix", here.healthy)
			for _, d := range disturbances() {
				t.Run(d.reason, func(t *testing.T) {
					l := here.startLoad(t)
					d.do(t, mode)
					l.watch(t)
					l.judge(t, d)
				})
			}
			t.Run("without any webhook only labelled Jobs wait", here.withoutWebhook)
		})
	}
}

// answering waits until the API server asks both webhooks, which it does a
// moment after they are registered.
func (s *site) answering(t *testing.T) {
	t.Helper()
	await(t, time.Minute, "Jobs are injected", func(ctx context.Context) error {
		j, err := s.client.BatchV1().Jobs("default").Create(ctx, webhook.Job("first"), dryRun)
		if err != nil {
			return err
		}
		return injected(j)
	})
}

// rollOut replaces every pod by one of another template.
func (s *site) rollOut(t *testing.T, mode string) {
	before := s.pods(t.Context(), t)
	s.upgrade(t, mode, "--set-string", fmt.Sprintf("podAnnotations.rolled-out=%d", time.Now().Unix()))
	await(t, 2*time.Minute, "the old pods are gone", func(ctx context.Context) error {
		for name := range s.pods(ctx, t) {
			if _, old := before[name]; old {
				return fmt.Errorf("pod %s is still there", name)
			}
		}
		return nil
	})
}

// needCertManager makes sure that cert-manager runs. On somebody else's cluster
// it has to be there.
func (s *site) needCertManager(t *testing.T) {
	t.Helper()
	if s.node == nil {
		s.must(t, "", s.kubectl, "get", "crd", "certificates.cert-manager.io")
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	if err := s.node.StartCertManager(ctx); err != nil {
		t.Fatal(err)
	}
}

// scale gives the webhook that many replicas.
func (s *site) scale(t *testing.T, replicas int) {
	t.Helper()
	s.must(t, "", s.kubectl, "-n", system, "scale", "deployment", deployment, fmt.Sprintf("--replicas=%d", replicas))
}
