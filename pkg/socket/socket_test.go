package socket

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// hold starts a holder and returns the Unix socket to ask it on, and its end.
func hold(t *testing.T, address string) (path string, end func()) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "s")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Hold(ctx, address, path) }()
	end = func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		done <- nil
	}
	t.Cleanup(end)
	return path, end
}

func mustTake(t *testing.T, path string) net.Listener {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	l, err := Take(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// greet accepts one connection and answers it.
func greet(t *testing.T, l net.Listener) {
	t.Helper()
	c, err := l.Accept()
	if err != nil {
		t.Error(err)
		return
	}
	if _, err := io.WriteString(c, "hello"); err != nil {
		t.Error(err)
	}
	_ = c.Close()
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func heard(t *testing.T, c net.Conn) {
	t.Helper()
	if got, err := io.ReadAll(c); err != nil || string(got) != "hello" {
		t.Errorf("read %q, %v; want hello", got, err)
	}
}

func TestAConnectionWaitsForTheNextServer(t *testing.T) {
	path, _ := hold(t, "127.0.0.1:0")
	first := mustTake(t, path)
	address := first.Addr().String()
	_ = first.Close() // as the kernel does for a process that is killed
	waiting := dial(t, address)
	second := mustTake(t, path)
	defer func() { _ = second.Close() }()
	greet(t, second)
	heard(t, waiting)
}

func TestAServerOutlivesTheHolder(t *testing.T) {
	path, end := hold(t, "127.0.0.1:0")
	server := mustTake(t, path)
	defer func() { _ = server.Close() }()
	end()
	waiting := dial(t, server.Addr().String())
	greet(t, server)
	heard(t, waiting)
}

func TestAHolderWaitsForItsAddress(t *testing.T) {
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	path, _ := hold(t, other.Addr().String())
	asked, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := Take(asked, path); err == nil {
		t.Error("a socket was given whose address somebody else has")
	}
	_ = other.Close()
	taken := mustTake(t, path)
	defer func() { _ = taken.Close() }()
	if got, want := taken.Addr().String(), other.Addr().String(); got != want {
		t.Errorf("the socket is at %s, want %s", got, want)
	}
}

func TestHoldTellsAnAddressThatCannotBe(t *testing.T) {
	if err := Hold(t.Context(), "203.0.113.1:1", filepath.Join(t.TempDir(), "s")); err == nil {
		t.Error("an address of another machine was held")
	}
}

// TestToAskDoesNotBlockWhoServes asks and does nothing with the answer, which
// shares its mode with the copy of the process that serves.
func TestToAskDoesNotBlockWhoServes(t *testing.T) {
	path, _ := hold(t, "127.0.0.1:0")
	serves := mustTake(t, path).(*net.TCPListener)
	defer func() { _ = serves.Close() }()
	asks, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = asks.Close() }()
	if _, err := io.ReadAll(asks); err != nil { // the holder closes when it has answered
		t.Fatal(err)
	}
	if err := serves.SetDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := serves.Accept()
		ended <- err
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("Accept waits in the kernel, where no deadline and no Close reach it")
		dial(t, serves.Addr().String()) // lets it go on
	}
}
