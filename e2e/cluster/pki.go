package cluster

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// pki is a cluster's certificate authority. Its key is never written down:
// nothing is signed after the start.
type pki struct {
	dir  string
	key  crypto.Signer
	cert *x509.Certificate
}

// newPKI makes the authority and the key that signs service account tokens.
func newPKI(dir string) (*pki, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make certificate folder: %w", err)
	}
	p := &pki{dir: dir}
	template := template("taojob-test-ca")
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	var err error
	if p.key, err = newKey(); err != nil {
		return nil, err
	}
	p.cert = template
	if p.cert, err = p.sign("ca", template, p.key); err != nil {
		return nil, err
	}
	accounts, err := newKey()
	if err != nil {
		return nil, err
	}
	return p, p.writeAccountKey(accounts)
}

// writeAccountKey writes both halves: the server wants the public one by itself.
func (p *pki) writeAccountKey(key crypto.Signer) error {
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return fmt.Errorf("encode service account key: %w", err)
	}
	if err := writePEM(filepath.Join(p.dir, "sa.pub"), "PUBLIC KEY", der); err != nil {
		return err
	}
	return p.writeKey("sa", key)
}

// serving issues the certificate all components serve with.
func (p *pki) serving() error {
	t := template("kube-apiserver")
	t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	t.DNSNames = []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"}
	t.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.ParseIP(serviceIP)}
	return p.issue("serving", t)
}

// client issues a certificate that authenticates a user.
func (p *pki) client(file, user string, groups ...string) error {
	t := template(user)
	t.Subject.Organization = groups
	t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return p.issue(file, t)
}

func (p *pki) issue(file string, t *x509.Certificate) error {
	t.KeyUsage = x509.KeyUsageDigitalSignature
	key, err := newKey()
	if err != nil {
		return err
	}
	if _, err := p.sign(file, t, key); err != nil {
		return err
	}
	return p.writeKey(file, key)
}

// sign writes the certificate of a key, signed by the authority.
func (p *pki) sign(file string, t *x509.Certificate, key crypto.Signer) (*x509.Certificate, error) {
	der, err := x509.CreateCertificate(rand.Reader, t, p.cert, key.Public(), p.key)
	if err != nil {
		return nil, fmt.Errorf("sign certificate %s: %w", file, err)
	}
	if err := writePEM(p.certFile(file), "CERTIFICATE", der); err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}

func (p *pki) writeKey(file string, key crypto.Signer) error {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return fmt.Errorf("encode key %s: %w", file, err)
	}
	return writePEM(p.keyFile(file), "PRIVATE KEY", der)
}

func (p *pki) certFile(file string) string { return filepath.Join(p.dir, file+".crt") }
func (p *pki) keyFile(file string) string  { return filepath.Join(p.dir, file+".key") }

func newKey() (crypto.Signer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make key: %w", err)
	}
	return key, nil
}

func template(name string) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    now.Add(-time.Hour), // clocks differ
		NotAfter:     now.AddDate(1, 0, 0),
	}
}

func writePEM(path, kind string, der []byte) error {
	b := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	if err := os.WriteFile(path, b, 0o600); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
