package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/certwatcher"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/taojob/taojob/pkg/certs"
)

// How long what the server makes for itself is good for, as where cert-manager
// makes it: authorities outlive many certificates.
const (
	caDuration   = 10 * 365 * 24 * time.Hour
	certDuration = 90 * 24 * time.Hour
)

// certFlags say where the certificate comes from.
type certFlags struct {
	from               string
	dir, file, keyFile string // provided
	secret, service    string // self
	names              []string
	configuration      string
	ca, cert           time.Duration
}

func (o *certFlags) flags(f *pflag.FlagSet) {
	f.StringVar(&o.from, "certs", "provided", "where the TLS certificate comes from: provided as files, or made by the server itself (self)")
	f.StringVar(&o.dir, "cert-dir", "/tmp/k8s-webhook-server/serving-certs", "provided: `folder` of the certificate and its key")
	f.StringVar(&o.file, "tls-cert-file", "tls.crt", "provided: certificate `file`, in --cert-dir unless the path is absolute")
	f.StringVar(&o.keyFile, "tls-key-file", "tls.key", "provided: key `file`, in --cert-dir unless the path is absolute")
	f.StringVar(&o.secret, "cert-secret", "", "self: `name` of the Secret, in the namespace of $POD_NAMESPACE, that holds the certificate")
	f.StringVar(&o.service, "cert-service", "", "self: `name` of the Service, in the same namespace, by which the API server calls")
	f.StringSliceVar(&o.names, "cert-names", nil, "self: further DNS `names` of the server, for webhook configurations with a URL")
	f.StringVar(&o.configuration, "webhook-configuration", "", "self: `name` of both webhook configurations, whose caBundle is kept")
	f.DurationVar(&o.ca, "ca-duration", caDuration, "self: how long an authority is good for; its last third is left for its successor")
	f.DurationVar(&o.cert, "cert-duration", certDuration, "self: how long a certificate is good for; it is renewed when a third is left")
}

// check refuses what would be found out only when it counts, and makes the
// paths of files absolute.
func (o *certFlags) check() error {
	switch o.from {
	case "provided":
		return o.checkFiles()
	case "self":
	default:
		return errors.New("read --certs: want provided or self")
	}
	if o.secret == "" || o.service == "" || o.configuration == "" {
		return errors.New("read --certs=self: want --cert-secret, --cert-service and --webhook-configuration with it")
	}
	if os.Getenv("POD_NAMESPACE") == "" {
		return errors.New("read --certs=self: want the namespace in $POD_NAMESPACE")
	}
	opts := o.self()
	if err := opts.Check(); err != nil {
		return fmt.Errorf("read --ca-duration and --cert-duration: %w", err)
	}
	return nil
}

func (o *certFlags) checkFiles() error {
	for _, file := range []*string{&o.file, &o.keyFile} {
		if !filepath.IsAbs(*file) {
			*file = filepath.Join(o.dir, *file)
		}
		var err error
		if *file, err = filepath.Abs(*file); err == nil {
			_, err = os.Stat(*file)
		}
		if err != nil {
			return fmt.Errorf("find the certificate: %w; say where it is by --cert-dir, or by --tls-cert-file and --tls-key-file", err)
		}
	}
	return nil
}

// self returns nil unless the server makes its own certificate.
func (o *certFlags) self() *certs.Options {
	if o.from != "self" {
		return nil
	}
	namespace := os.Getenv("POD_NAMESPACE")
	return &certs.Options{
		Secret:        types.NamespacedName{Namespace: namespace, Name: o.secret},
		Names:         append([]string{o.service + "." + namespace + ".svc"}, o.names...),
		Configuration: o.configuration,
		CADuration:    o.ca,
		CertDuration:  o.cert,
	}
}

// certificate is what the server serves, and whether that will do.
type certificate struct {
	source certs.Source
	check  func(context.Context) error
}

// secure is how the server speaks TLS. Its certificate comes from c, which is
// set up after the server is.
func secure(c *certificate) func(*tls.Config) {
	return func(config *tls.Config) {
		config.MinVersion = tls.VersionTLS12
		config.GetCertificate = func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) { return c.source(hello) }
	}
}

// setUp makes mgr keep the certificate up to date.
func (c *certificate) setUp(mgr ctrl.Manager, o *certFlags) error {
	if err := c.follow(mgr, o); err != nil {
		return err
	}
	if err := metrics.Registry.Register(c.source.Expiry()); err != nil {
		return err
	}
	return mgr.AddReadyzCheck("certificate", func(req *http.Request) error { return c.check(req.Context()) })
}

func (c *certificate) follow(mgr ctrl.Manager, o *certFlags) error {
	if self := o.self(); self != nil {
		made := certs.NewSelf(*self, mgr.GetClient())
		c.source, c.check = made.GetCertificate, made.Check
		return made.SetupWithManager(mgr)
	}
	// Files that the kubelet mounted change by a link above them, of which no
	// event tells: then the watcher finds out within the 10 s of its polling.
	files, err := certwatcher.New(o.file, o.keyFile)
	if err != nil {
		return fmt.Errorf("read the certificate: %w", err)
	}
	c.source = files.GetCertificate
	c.check = func(context.Context) error { return c.source.Check(time.Now()) }
	return mgr.Add(files)
}
