package certs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// Options say what Self is to keep.
type Options struct {
	// Secret holds the authority and the certificate. It must be there; an empty
	// one is filled.
	Secret types.NamespacedName
	// Names are what the certificate is for: first what the API server calls the
	// server, then others. At least one.
	Names []string
	// Configuration is the name of both webhook configurations.
	Configuration string
	// CADuration and CertDuration are how long an authority and a certificate
	// are good for. The former is at least three times the latter, so that no
	// certificate outlives its authority.
	CADuration, CertDuration time.Duration
}

// Check refuses durations that do not go together.
func (o *Options) Check() error {
	if o.CertDuration <= 0 || o.CADuration < 3*o.CertDuration {
		return errors.New("want a time for certificates, and one for authorities that is at least three times as long")
	}
	return nil
}

// Cache adds to a cache's options what Self reads: three objects, by name.
func (o *Options) Cache(to *cache.Options) {
	secret := fields.OneTermEqualSelector("metadata.name", o.Secret.Name)
	configuration := fields.OneTermEqualSelector("metadata.name", o.Configuration)
	to.ByObject[&corev1.Secret{}] = cache.ByObject{Namespaces: map[string]cache.Config{o.Secret.Namespace: {FieldSelector: secret}}}
	to.ByObject[&admissionv1.MutatingWebhookConfiguration{}] = cache.ByObject{Field: configuration}
	to.ByObject[&admissionv1.ValidatingWebhookConfiguration{}] = cache.ByObject{Field: configuration}
}

// Self makes the server's certificate, renews it and serves it, on every
// replica and without a leader: of two that renew at once the API server takes
// the first, and the other serves what that one made.
//
// No admission fails meanwhile. A certificate is served straight from the
// Secret, and one of a new authority only after that has been in both webhook
// configurations for a while.
type Self struct {
	opts    Options
	issuer  issuer
	client  client.Client // reads the three objects from the cache
	configs configurations
	now     func() time.Time
	served  atomic.Pointer[tls.Certificate]
}

// NewSelf returns a Self that serves nothing yet. c reads typed objects from a
// cache that Options.Cache was told of.
func NewSelf(o Options, c client.Client) *Self {
	return &Self{
		opts:    o,
		issuer:  issuer{names: o.Names, caDuration: o.CADuration, certDuration: o.CertDuration},
		client:  c,
		configs: configurations{client: c, name: o.Configuration},
		now:     time.Now,
	}
}

// GetCertificate is a Source.
func (s *Self) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	if c := s.served.Load(); c != nil {
		return c, nil
	}
	return nil, errNone
}

// Check returns an error unless the certificate that is served is valid now and
// both webhook configurations make the API server trust it.
func (s *Self) Check(ctx context.Context) error {
	if err := Source(s.GetCertificate).Check(s.now()); err != nil {
		return err
	}
	return s.trusted(ctx, s.served.Load().Leaf)
}

func (s *Self) trusted(ctx context.Context, leaf *x509.Certificate) error {
	return s.configs.all(ctx, func(trusted []*x509.Certificate) error {
		return verify(leaf, trusted, s.opts.Names[0], s.now())
	})
}

// Reconcile brings the Secret, the configurations and what is served up to
// date, in that order. A change of any of them makes it run again.
func (s *Self) Reconcile(ctx context.Context, _ ctrl.Request) (ctrl.Result, error) {
	secret := &corev1.Secret{}
	if err := s.client.Get(ctx, s.opts.Secret, secret); err != nil {
		return ctrl.Result{}, fmt.Errorf("read the Secret of the certificate, which must be there, if empty: %w", err)
	}
	if done, err := s.renew(ctx, secret); done || err != nil {
		return ctrl.Result{}, err
	}
	now := s.now()
	err := s.configs.inject(ctx, func(have []byte) []byte {
		return bundle(secret.Data[caCert], have, 2*s.issuer.settle(), now)
	})
	if apierrors.IsConflict(err) { // another replica was first, and its change comes
		err = nil
	}
	s.serve(ctx, secret)
	return ctrl.Result{RequeueAfter: min(time.Minute, s.opts.CertDuration/20)}, err
}

// renew writes the Secret if that is due; what it wrote comes back as a change.
func (s *Self) renew(ctx context.Context, secret *corev1.Secret) (done bool, err error) {
	data, err := s.issuer.renew(secret.Data, s.now(), func(ca *x509.Certificate) bool { return s.known(ctx, ca) })
	if data == nil || err != nil {
		return false, err
	}
	renewed := secret.DeepCopy()
	renewed.Data = data
	switch err := s.client.Update(ctx, renewed, fieldOwner); {
	case apierrors.IsConflict(err):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("write the Secret of the certificate: %w", err)
	}
	log.FromContext(ctx).Info("renewed the certificate", "authority", string(data[caCert]) != string(secret.Data[caCert]),
		"certificate", string(data[tlsCert]) != string(secret.Data[tlsCert]))
	return true, nil
}

// known tells whether every API server has come to trust an authority.
func (s *Self) known(ctx context.Context, ca *x509.Certificate) bool {
	if s.now().Before(made(ca).Add(s.issuer.settle())) {
		return false
	}
	return s.configs.all(ctx, func(trusted []*x509.Certificate) error {
		if !contains(trusted, ca) {
			return errNoBundle
		}
		return nil
	}) == nil
}

// serve takes the Secret's certificate into use, unless the one that is served
// is still good and the API servers might not trust the other yet.
func (s *Self) serve(ctx context.Context, secret *corev1.Secret) {
	trusted := current(parse(secret.Data[caCert]), s.now())
	leaf, err := s.issuer.readLeaf(secret.Data, trusted, s.now())
	if err != nil { // it is being renewed
		return
	}
	old := s.served.Load()
	if old != nil && old.Leaf.Equal(leaf) {
		return
	}
	// A certificate of the authority whose other one is served already is
	// trusted as well as that one.
	ca := issuerOf(leaf, trusted)
	same := old != nil && old.Leaf.CheckSignatureFrom(ca) == nil
	good := s.Check(ctx) == nil
	if good && (s.trusted(ctx, leaf) != nil || !same && !s.known(ctx, ca)) {
		return
	}
	pair, err := tls.X509KeyPair(secret.Data[tlsCert], secret.Data[tlsKey])
	if err != nil {
		return
	}
	s.served.Store(&pair)
	log.FromContext(ctx).Info("serving a new certificate", "until", leaf.NotAfter)
}

// issuerOf returns which of the authorities signed a certificate that they
// verify.
func issuerOf(leaf *x509.Certificate, trusted []*x509.Certificate) *x509.Certificate {
	for _, ca := range trusted {
		if leaf.CheckSignatureFrom(ca) == nil {
			return ca
		}
	}
	return trusted[0]
}
