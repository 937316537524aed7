package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/taojob/taojob/pkg/socket"
)

const (
	// holderPatience is how long the holder of the socket is waited for. It is
	// a container of the same pod, which was started first.
	holderPatience = 30 * time.Second
	// shutdownGrace bounds the answers that are still open at the end. It is as
	// long as the API server waits for one at most.
	shutdownGrace = 30 * time.Second
	// shutdownTurn is how long connections are waited for before they are told
	// again. Those that were told take a second.
	shutdownTurn = 2 * time.Second
)

// server serves the webhooks that are registered with controller-runtime's own
// server, on a socket that another process may hold. That one takes connections
// while nobody serves, so that they must not be answered before they can be
// answered well: not before the caches are complete and there is a certificate.
type server struct {
	webhook.Server

	host    string
	port    int
	held    string // path of the holder's Unix socket; empty to listen ourselves
	tls     *tls.Config
	ready   func() bool
	started atomic.Bool
}

// newServer takes no requests before ready is set and says so.
func newServer(o *options, served *certificate) *server {
	// HTTP/1.1 would take a seventh less of CPU. But a server that ends then closes
	// connections on which a request may be under way, and nobody repeats a POST;
	// over HTTP/2 it says first which requests it has not taken.
	config := &tls.Config{NextProtos: []string{"h2"}}
	secure(served)(config)
	return &server{Server: webhook.NewServer(webhook.Options{}), host: o.host, port: o.port, held: o.socket, tls: config}
}

// Start serves until ctx ends, and then answers what is still open.
func (s *server) Start(ctx context.Context) error {
	l, err := s.listen(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }() // Serve has closed it, if it came to that
	_ = wait.PollUntilContextCancel(ctx, 10*time.Millisecond, true, func(context.Context) (bool, error) { return s.ready(), nil })
	if ctx.Err() != nil { // told to stop before the first request
		return nil
	}
	h := &http.Server{
		Handler:           s.WebhookMux(),
		MaxHeaderBytes:    1 << 20,
		IdleTimeout:       90 * time.Second, // the API server's own
		ReadHeaderTimeout: 32 * time.Second,
	}
	ended := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() { ended <- shutDown(context.WithoutCancel(ctx), h) })
	defer stop()
	s.started.Store(true)
	if err := h.Serve(tls.NewListener(l, s.tls)); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the webhooks: %w", err)
	}
	return <-ended
}

// shutDown answers what is still open. A connection that is being opened at that
// moment misses being told to close, and would be waited for: net/http does not
// know it for idle. So all are told again, for as long as there are any.
func shutDown(ctx context.Context, h *http.Server) error {
	within, cancel := context.WithTimeout(ctx, shutdownGrace)
	defer cancel()
	for {
		turn, cancel := context.WithTimeout(within, shutdownTurn)
		err := h.Shutdown(turn)
		cancel()
		if err == nil || within.Err() != nil {
			return err
		}
	}
}

func (s *server) listen(ctx context.Context) (net.Listener, error) {
	if s.held == "" {
		var config net.ListenConfig
		return config.Listen(ctx, "tcp", net.JoinHostPort(s.host, strconv.Itoa(s.port)))
	}
	ctx, cancel := context.WithTimeout(ctx, holderPatience)
	defer cancel()
	return socket.Take(ctx, s.held)
}

// StartedChecker tells whether requests are taken.
func (s *server) StartedChecker() healthz.Checker {
	return func(*http.Request) error {
		if !s.started.Load() {
			return errors.New("the webhooks are not served yet")
		}
		return nil
	}
}
