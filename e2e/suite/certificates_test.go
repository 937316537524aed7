package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/taojob/taojob/e2e/webhook"
)

// apart is a namespace that the suite's webhook is not asked about.
const apart = "taojob-system"

// creates asks for a Job every so often, as a dry run, until it is stopped. It
// then tells how many were made and, by an error, how many were not.
type creates struct {
	stop context.CancelFunc
	done chan struct{}
	made int
	errs []error
}

// pace is that of a busy cluster: twenty Jobs a second.
const pace = 50 * time.Millisecond

func startCreates(t *testing.T, namespace string) *creates {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	c := &creates{stop: stop, done: make(chan struct{})}
	go func() {
		defer close(c.done)
		tick := time.NewTicker(pace)
		defer tick.Stop()
		for ctx.Err() == nil {
			// A request that has begun is finished: stopping is no failure.
			_, err := plane.Client.BatchV1().Jobs(namespace).Create(context.WithoutCancel(ctx), webhook.Job("probe"),
				metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			if err != nil {
				c.errs = append(c.errs, fmt.Errorf("at %s: %w", time.Now().Format(time.RFC3339Nano), err))
			} else {
				c.made++
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
		}
	}()
	t.Cleanup(stop)
	return c
}

// end fails unless every Job was made, and there were some.
func (c *creates) end(t *testing.T) {
	t.Helper()
	c.stop()
	<-c.done
	if len(c.errs) > 0 || c.made == 0 {
		t.Errorf("%d Jobs were made, and %d were not: %v", c.made, len(c.errs), errors.Join(c.errs...))
	}
	t.Logf("%d Jobs were made, and none was not", c.made)
}

func TestAWebhookRenewsItsOwnCertificateWithoutAFailedAdmission(t *testing.T) {
	t.Parallel()
	s := &space{T: t, name: apart}
	// A certificate each 16 seconds, and an authority each 48.
	first, err := webhook.Start(t.Context(), plane, webhook.Options{
		Name: "taojob-self", Namespace: apart, Self: true, Log: os.Stderr,
		Args: []string{"--cert-duration", "24s", "--ca-duration", "72s"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(first.Kill)
	second, err := first.Join(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(second.Kill)
	certificates, authorities := map[string]bool{}, map[string]bool{}
	load := startCreates(t, apart)
	look := func() error {
		served, err := first.Served(t.Context())
		if err != nil {
			return err
		}
		certificates[string(served.Raw)], authorities[string(served.AuthorityKeyId)] = true, true
		return errors.Join(first.Ready(t.Context()), second.Ready(t.Context()))
	}
	s.within(3*time.Minute, "two authorities and four certificates, and two replicas that stay ready", func() error {
		if err := look(); err != nil {
			t.Error(err)
		}
		if len(certificates) < 4 || len(authorities) < 2 {
			return fmt.Errorf("%d certificates of %d authorities", len(certificates), len(authorities))
		}
		return nil
	})
	emptied := len(authorities)
	empty(s, first.Secret())
	s.within(time.Minute, "a certificate of a new authority, after the Secret was lost", func() error {
		if err := look(); err != nil {
			t.Error(err)
		}
		if len(authorities) == emptied {
			return errors.New("it is still of the old one")
		}
		return nil
	})
	s.eventually("both replicas serve the same", func() error {
		one, err1 := first.Served(t.Context())
		two, err2 := second.Served(t.Context())
		if err := errors.Join(err1, err2); err != nil || !one.Equal(two) {
			return fmt.Errorf("they do not: %w", err)
		}
		return nil
	})
	load.end(t)
	for _, w := range []*webhook.Webhook{first, second} {
		if err := w.Stop(); err != nil {
			t.Error(err)
		}
	}
}

// empty takes everything out of a Secret.
func empty(s *space, name string) {
	s.Helper()
	_, err := plane.Client.CoreV1().Secrets(s.name).Patch(s.Context(), name, types.MergePatchType, []byte(`{"data":null}`), metav1.PatchOptions{})
	if err != nil {
		s.Fatal(err)
	}
}

func TestAnAuthorityThatIsTakenOutOfTheConfigurationsIsPutBack(t *testing.T) {
	t.Parallel()
	const name = "taojob-trust"
	s := newSpace(t)
	w, err := webhook.Start(t.Context(), plane, webhook.Options{Name: name, Namespace: s.name, Self: true, Log: os.Stderr})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Kill)
	api := plane.Client.AdmissionregistrationV1()
	patch := []byte(`[{"op": "remove", "path": "/webhooks/0/clientConfig/caBundle"}]`)
	if _, err := api.MutatingWebhookConfigurations().Patch(t.Context(), name, types.JSONPatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	s.eventually("it is there again", func() error {
		c, err := api.MutatingWebhookConfigurations().Get(t.Context(), name, metav1.GetOptions{})
		if err == nil && len(c.Webhooks[0].ClientConfig.CABundle) == 0 {
			err = errors.New("it is not")
		}
		return errors.Join(err, w.Ready(t.Context()))
	})
	s.eventually("Jobs are admitted again", func() error {
		_, err := plane.Client.BatchV1().Jobs(s.name).Create(t.Context(), webhook.Job("again"), metav1.CreateOptions{})
		return err
	})
	if err := w.Stop(); err != nil {
		t.Error(err)
	}
	for _, done := range []error{
		api.MutatingWebhookConfigurations().Delete(t.Context(), name, metav1.DeleteOptions{}),
		api.ValidatingWebhookConfigurations().Delete(t.Context(), name, metav1.DeleteOptions{}),
	} {
		if done != nil {
			t.Error(done)
		}
	}
	secret, err := plane.Client.CoreV1().Secrets(s.name).Get(t.Context(), w.Secret(), metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if secret.Type != corev1.SecretTypeOpaque || len(secret.Data) != 4 {
		t.Errorf("the Secret has %d values", len(secret.Data))
	}
}
