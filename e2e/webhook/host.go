package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Root is the checkout's top folder, from anywhere in it.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the checkout: %w", err)
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "e2e", "go.mod")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("find the checkout: %s is in none", dir)
		}
	}
}

func get(ctx context.Context, url string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	body, err := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("get %s: %s: %s", url, resp.Status, body)
	}
	return string(body), err
}

// poll asks until the answer is nil or the context ends; its error then holds
// the last answer.
func poll(ctx context.Context, holds func(context.Context) error) error {
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for {
		err := holds(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		case <-tick.C:
		}
	}
}

// freePorts finds loopback ports that nobody listens on: below those that the
// kernel takes source ports from, since a client that tries again could
// otherwise be given the port of a stopped webhook, and beside those of clusters.
func freePorts(n int) ([]int, error) {
	const first, count = 10000, 10000
	var free []int
	for range count {
		port := first + rand.IntN(count)
		l, err := net.Listen("tcp", address(port)) //nolint:noctx // it is closed at once
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			return nil, fmt.Errorf("free port: %w", err)
		}
		if free = append(free, port); len(free) == n {
			return free, nil
		}
	}
	return nil, fmt.Errorf("find %d free loopback ports from %d on", n, first)
}

func address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
