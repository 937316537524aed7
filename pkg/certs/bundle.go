package certs

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"slices"
	"time"
)

// parse reads the certificates of a PEM bundle; what is none is passed over.
func parse(bundle []byte) []*x509.Certificate {
	var all []*x509.Certificate
	for block, rest := pem.Decode(bundle); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		if c, err := x509.ParseCertificate(block.Bytes); err == nil {
			all = append(all, c)
		}
	}
	return all
}

func encode(all []*x509.Certificate) []byte {
	var out bytes.Buffer
	for _, c := range all {
		out.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}))
	}
	return out.Bytes()
}

// current leaves out what has ended.
func current(all []*x509.Certificate, now time.Time) []*x509.Certificate {
	return slices.DeleteFunc(slices.Clone(all), func(c *x509.Certificate) bool { return now.After(c.NotAfter) })
}

// verify tells whether who trusts these authorities takes the certificate for
// a server of that name, as the API server does.
func verify(leaf *x509.Certificate, trusted []*x509.Certificate, name string, now time.Time) error {
	roots := x509.NewCertPool()
	for _, c := range trusted {
		roots.AddCert(c)
	}
	_, err := leaf.Verify(x509.VerifyOptions{DNSName: name, Roots: roots, CurrentTime: now})
	return err
}

func contains(all []*x509.Certificate, c *x509.Certificate) bool {
	return slices.ContainsFunc(all, c.Equal)
}

// bundle is what a webhook configuration that holds have shall trust, given
// what the Secret says. What it trusts already stays until the newest authority
// is older than keep: another replica may still serve what a lost one signed.
func bundle(secret, have []byte, keep time.Duration, now time.Time) []byte {
	want := current(parse(secret), now)
	if len(want) == 0 {
		return have
	}
	if now.Before(made(want[0]).Add(keep)) {
		for _, c := range current(parse(have), now) {
			if !contains(want, c) {
				want = append(want, c)
			}
		}
	}
	return encode(want)
}
