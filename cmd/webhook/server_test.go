package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/taojob/taojob/pkg/certs"
	"github.com/taojob/taojob/pkg/socket"
)

// source serves a certificate for localhost.
func source(t *testing.T) (certs.Source, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AddCert(c)
	pair := &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: c}
	return func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return pair, nil }, trusted
}

// unusedAddress is one that somebody may listen on.
func unusedAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// TestNoRequestIsLostBetweenServers lets one server after the other serve on a
// socket that somebody else holds, while requests come that nobody repeats.
func TestNoRequestIsLostBetweenServers(t *testing.T) {
	hold, release := context.WithCancel(t.Context())
	defer release()
	path, address := filepath.Join(t.TempDir(), "socket"), unusedAddress(t)
	held := make(chan error, 1)
	go func() { held <- socket.Hold(hold, address, path) }()
	from, trusted := source(t)
	until := func(holds func() bool) {
		t.Helper()
		err := wait.PollUntilContextTimeout(t.Context(), time.Millisecond, time.Minute, true, func(context.Context) (bool, error) { return holds(), nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	start := func() (stop func(), asked *atomic.Int64) {
		s := newServer(&options{socket: path}, &certificate{source: from})
		s.ready = func() bool { return true }
		asked = &atomic.Int64{}
		s.Register("/", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked.Add(1)
			w.WriteHeader(http.StatusNoContent)
		}))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.Start(ctx) }()
		until(func() bool { return s.StartedChecker()(nil) == nil })
		return func() {
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}, asked
	}
	stop, _ := start()
	client := &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: trusted, ServerName: "localhost"}}}
	done := make(chan struct{})
	var asking sync.WaitGroup
	for range 4 {
		asking.Go(func() {
			for open(done) {
				resp, err := client.Post("https://"+address, "application/json", strings.NewReader("{}"))
				if err != nil {
					t.Error(err)
					continue
				}
				_ = resp.Body.Close()
			}
		})
	}
	for range 3 {
		next, asked := start()
		stop()
		until(func() bool { return asked.Load() > 100 })
		stop = next
	}
	close(done)
	asking.Wait()
	stop()
	release()
	if err := <-held; err != nil {
		t.Error(err)
	}
}

// open tells whether a channel has not been closed.
func open(c <-chan struct{}) bool {
	select {
	case <-c:
		return false
	default:
		return true
	}
}
