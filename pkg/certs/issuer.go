package certs

import (
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/open-policy-agent/cert-controller/pkg/rotator"
)

// The keys of the Secret. Those of the leaf are what kubernetes.io/tls has.
const (
	caCert  = "ca.crt" // the authority that signs, then former ones that have not ended
	caKey   = "ca.key"
	tlsCert = "tls.crt"
	tlsKey  = "tls.key"
)

// backdate is how long before its making a certificate begins: clocks differ.
const backdate = time.Hour

// maxSettle is how long a new authority is in the webhook configurations before
// anything signed by it is served: by then every API server has seen it, also
// one that had to connect to etcd anew. Renewal begins so early that it may take long.
const maxSettle = 10 * time.Minute

// issuer makes the authority and the certificate.
type issuer struct {
	names        []string // that the certificate is for; the first is the API server's
	caDuration   time.Duration
	certDuration time.Duration
}

// settle is maxSettle, or less where certificates are short-lived.
func (i *issuer) settle() time.Duration { return min(maxSettle, i.certDuration/10) }

// renew returns what the Secret shall hold, nil when it is as it should be.
// known tells of the authority that signs whether it has long been trusted.
//
// An authority is replaced while a third of its time is left, and the
// certificate that the former one signed stays until it is due itself: the
// two never change at the same time, unless there is nothing to keep.
func (i *issuer) renew(data map[string][]byte, now time.Time, known func(ca *x509.Certificate) bool) (map[string][]byte, error) {
	trusted := slices.DeleteFunc(current(parse(data[caCert]), now), func(c *x509.Certificate) bool { return !c.IsCA })
	ca, err := readAuthority(data)
	fresh := err != nil || due(ca.Cert, now)
	if fresh {
		if ca, err = i.maker().CreateCACert(now.Add(-backdate), now.Add(i.caDuration)); err != nil {
			return nil, fmt.Errorf("make an authority: %w", err)
		}
		trusted = append([]*x509.Certificate{ca.Cert}, trusted...)
	}
	leaf, err := i.readLeaf(data, trusted, now)
	renewed := maps.Clone(data)
	if renewed == nil {
		renewed = map[string][]byte{}
	}
	renewed[caCert], renewed[caKey] = encode(trusted), ca.KeyPEM
	if err == nil && (!due(leaf, now) || fresh || !known(ca.Cert)) {
		if fresh {
			return renewed, nil
		}
		return nil, nil
	}
	renewed[tlsCert], renewed[tlsKey], err = i.maker().CreateCertPEM(ca, now.Add(-backdate), now.Add(i.certDuration))
	if err != nil {
		return nil, fmt.Errorf("make a certificate: %w", err)
	}
	return renewed, nil
}

// maker is cert-controller's, of which only the making is of use: its watch
// needs every Secret of the namespace, and it changes authority and leaf at once.
func (i *issuer) maker() *rotator.CertRotator {
	return &rotator.CertRotator{
		CAName: "taojob-ca", CAOrganization: "taojob", DNSName: i.names[0], ExtraDNSNames: i.names[1:],
		ExtKeyUsages: &[]x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
}

// due tells whether the last third of a certificate's time has begun.
func due(c *x509.Certificate, now time.Time) bool {
	return now.After(c.NotAfter.Add(-c.NotAfter.Sub(made(c)) / 3))
}

func made(c *x509.Certificate) time.Time { return c.NotBefore.Add(backdate) }

var errAuthority = errors.New("no authority that can sign")

// readAuthority returns the authority that signs.
func readAuthority(data map[string][]byte) (*rotator.KeyPairArtifacts, error) {
	all := parse(data[caCert])
	if len(all) == 0 {
		return nil, errAuthority
	}
	first := encode(all[:1])
	pair, err := tls.X509KeyPair(first, data[caKey])
	if err != nil {
		return nil, errAuthority // the cause might tell of the key
	}
	key, ok := pair.PrivateKey.(*rsa.PrivateKey)
	if !ok || !pair.Leaf.IsCA {
		return nil, errAuthority
	}
	return &rotator.KeyPairArtifacts{Cert: pair.Leaf, Key: key, CertPEM: first, KeyPEM: data[caKey]}, nil
}

var errLeaf = errors.New("no certificate with its key")

// readLeaf returns the certificate if it can be served now.
func (i *issuer) readLeaf(data map[string][]byte, trusted []*x509.Certificate, now time.Time) (*x509.Certificate, error) {
	pair, err := tls.X509KeyPair(data[tlsCert], data[tlsKey])
	if err != nil {
		return nil, errLeaf
	}
	for _, name := range i.names {
		if err := verify(pair.Leaf, trusted, name, now); err != nil {
			return nil, err
		}
	}
	return pair.Leaf, nil
}
