package certs

import (
	"context"
	"crypto/x509"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// stage is an installation of two replicas, in which time passes at will.
type stage struct {
	*testing.T
	client   client.Client
	now      time.Time
	replicas []*Self
	// seen is what API servers trusted a while ago: some of them still do.
	seen []*x509.Certificate
}

func newStage(t *testing.T, objects ...client.Object) *stage {
	t.Helper()
	s := &stage{T: t, now: start, client: fake.NewClientBuilder().WithObjects(objects...).Build()}
	for range 2 {
		replica := NewSelf(Options{
			Secret: types.NamespacedName{Namespace: "tao", Name: "tls"}, Names: []string{"hook.tao.svc"}, Configuration: "hook",
			CADuration: 30 * time.Hour, CertDuration: 6 * time.Hour,
		}, s.client)
		replica.now = func() time.Time { return s.now }
		s.replicas = append(s.replicas, replica)
	}
	return s
}

func secret() *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "tao", Name: "tls"}}
}

func mutating() *admissionv1.MutatingWebhookConfiguration {
	return &admissionv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "hook"}, Webhooks: []admissionv1.MutatingWebhook{{Name: "a.tao"}},
	}
}

func validating() *admissionv1.ValidatingWebhookConfiguration {
	return &admissionv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "hook"}, Webhooks: []admissionv1.ValidatingWebhook{{Name: "b.tao"}, {Name: "c.tao"}},
	}
}

func (s *stage) reconcile() {
	s.Helper()
	for range 2 { // the second time for what the first one changed
		for _, replica := range s.replicas {
			if _, err := replica.Reconcile(s.Context(), ctrl.Request{}); err != nil {
				s.Fatal(err)
			}
		}
	}
}

// checkTrust fails unless every API server trusts every replica.
func (s *stage) checkTrust() {
	s.Helper()
	for _, replica := range s.replicas {
		if err := replica.Check(s.Context()); err != nil {
			s.Fatalf("after %s: %v", s.now.Sub(start), err)
		}
		if err := verify(replica.served.Load().Leaf, s.seen, "hook.tao.svc", s.now); err != nil {
			s.Fatalf("after %s, an API server that lags behind: %v", s.now.Sub(start), err)
		}
	}
}

// lag remembers what is trusted now.
func (s *stage) lag() {
	s.Helper()
	c := validating()
	if err := s.client.Get(s.Context(), client.ObjectKeyFromObject(c), c); err != nil {
		s.Fatal(err)
	}
	s.seen = parse(c.Webhooks[0].ClientConfig.CABundle)
}

func TestNoAPIServerEverMeetsACertificateThatItDoesNotTrust(t *testing.T) {
	s := newStage(t, secret(), mutating(), validating())
	s.reconcile()
	s.lag()
	authorities, certificates := map[string]bool{}, map[string]bool{}
	const step, lost = 5 * time.Minute, 33 * time.Hour
	for ; s.now.Before(start.Add(58 * time.Hour)); s.now = s.now.Add(step) {
		if s.now.Equal(start.Add(lost)) { // somebody empties the Secret
			if err := s.client.Update(t.Context(), secret()); err != nil {
				t.Fatal(err)
			}
		}
		s.reconcile()
		s.checkTrust()
		s.lag()
		leaf := s.replicas[0].served.Load().Leaf
		certificates[string(leaf.Raw)] = true
		authorities[string(issuerOf(leaf, s.seen).Raw)] = true
	}
	// An authority each 20 hours and one for that which was lost; a certificate each 4 hours.
	if len(authorities) < 4 || len(certificates) < 14 {
		t.Errorf("only %d authorities and %d certificates were served", len(authorities), len(certificates))
	}
	if len(s.seen) > 2 {
		t.Errorf("%d authorities are trusted in the end", len(s.seen))
	}
}

func TestALostAuthorityIsTrustedNoMoreInTheEnd(t *testing.T) {
	s := newStage(t, secret(), mutating(), validating())
	s.reconcile()
	s.lag()
	lost := s.seen[0]
	if err := s.client.Update(t.Context(), secret()); err != nil {
		t.Fatal(err)
	}
	for range 30 {
		s.reconcile()
		s.now = s.now.Add(time.Minute)
	}
	if s.lag(); contains(s.seen, lost) || len(s.seen) != 1 {
		t.Errorf("%d authorities are trusted", len(s.seen))
	}
}

func TestACABundleThatIsTakenAwayIsPutBack(t *testing.T) {
	s := newStage(t, secret(), mutating(), validating())
	s.reconcile()
	for _, o := range []client.Object{mutating(), validating()} {
		if err := s.client.Delete(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if err := s.client.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.replicas[0].Check(t.Context()); err == nil {
		t.Error("it is ready without being trusted")
	}
	s.reconcile()
	s.lag()
	s.checkTrust()
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	for name, tc := range map[string]struct {
		objects []client.Object
		says    string // Reconcile does
	}{
		"a Secret":                   {[]client.Object{mutating(), validating()}, `secrets "tls" not found`},
		"the mutating configuration": {[]client.Object{secret(), validating()}, `read MutatingWebhookConfiguration`},
		"the validating one":         {[]client.Object{secret(), mutating()}, `read ValidatingWebhookConfiguration`},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, tc.objects...)
			self := s.replicas[0]
			err := reconcileTwice(t.Context(), self)
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("the error is %v", err)
			}
			if self.Check(t.Context()) == nil {
				t.Error("it is ready")
			}
		})
	}
}

func reconcileTwice(ctx context.Context, s *Self) error {
	_, _ = s.Reconcile(ctx, ctrl.Request{}) // it may only fill the Secret
	_, err := s.Reconcile(ctx, ctrl.Request{})
	return err
}

func TestALostCertificateIsReplacedAtOnce(t *testing.T) {
	s := newStage(t, secret(), mutating(), validating())
	s.reconcile()
	s.lag()
	before := s.replicas[0].served.Load().Leaf
	lost := &corev1.Secret{}
	if err := s.client.Get(t.Context(), client.ObjectKeyFromObject(secret()), lost); err != nil {
		t.Fatal(err)
	}
	lost.Data[tlsCert] = nil
	if err := s.client.Update(t.Context(), lost); err != nil {
		t.Fatal(err)
	}
	s.reconcile()
	s.checkTrust()
	for i, replica := range s.replicas {
		if replica.served.Load().Leaf.Equal(before) {
			t.Errorf("replica %d waits, although the API servers trust the authority", i)
		}
	}
}
