// Package certs is about the certificate of the webhooks' server: which one it
// serves, how it makes and renews its own where no cert-manager does, and how
// the API server comes to trust that one before it is served.
package certs

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Source gives the certificate to serve at this moment. It returns nil or an
// error while there is none.
type Source func(*tls.ClientHelloInfo) (*tls.Certificate, error)

// errNone is what is said before there is a certificate.
var errNone = errors.New("no certificate yet")

// leaf returns what is served now.
func (s Source) leaf() (*x509.Certificate, error) {
	c, err := s(nil)
	if err != nil {
		return nil, err
	}
	if c == nil || c.Leaf == nil {
		return nil, errNone
	}
	return c.Leaf, nil
}

// Present tells whether there is a certificate, good or not.
func (s Source) Present() bool {
	_, err := s.leaf()
	return err == nil
}

// Check returns an error unless a certificate is served that is valid at now.
func (s Source) Check(now time.Time) error {
	c, err := s.leaf()
	if err != nil {
		return err
	}
	return inTime(c, now)
}

// Expiry is a gauge of when the certificate that is served ends, 0 while there
// is none.
func (s Source) Expiry() prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "taojob_certificate_expiry_timestamp_seconds",
		Help: "When the certificate that is served ends, in seconds since 1970; 0 while there is none.",
	}, func() float64 {
		c, err := s.leaf()
		if err != nil {
			return 0
		}
		return float64(c.NotAfter.Unix())
	})
}

func inTime(c *x509.Certificate, now time.Time) error {
	switch {
	case now.After(c.NotAfter):
		return fmt.Errorf("the certificate ended at %s", c.NotAfter.Format(time.RFC3339))
	case now.Before(c.NotBefore):
		return fmt.Errorf("the certificate begins only at %s", c.NotBefore.Format(time.RFC3339))
	}
	return nil
}
