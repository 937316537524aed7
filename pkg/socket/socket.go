// Package socket lets a listening socket outlive the process that accepts from
// it. One process holds the socket and never accepts; another takes a copy and
// serves. If the one that serves is killed, the kernel keeps taking connections
// into the socket's backlog, and they wait for its successor, where otherwise
// they would be refused. If the holder is killed, the copy still listens.
//
// The copy travels over a Unix socket: see SCM_RIGHTS in unix(7).
package socket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// retry is how long Hold waits for an address that somebody else has.
const retry = time.Second

// Hold listens on a TCP address and gives a copy of the socket to everyone who
// asks on the Unix socket at path, until ctx ends. As long as somebody else has
// the address, such as the process that serves what a former holder gave it, it
// tries again every second.
func Hold(ctx context.Context, address, path string) error {
	var held *net.TCPListener
	err := wait.PollUntilContextCancel(ctx, retry, true, func(ctx context.Context) (bool, error) {
		var err error
		held, err = listen(ctx, address)
		if errors.Is(err, syscall.EADDRINUSE) {
			return false, nil
		}
		return err == nil, err
	})
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("hold %s: %w", address, err)
	}
	defer func() { _ = held.Close() }() // its copies live on
	return offer(ctx, held, path)
}

func listen(ctx context.Context, address string) (*net.TCPListener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return l.(*net.TCPListener), nil
}

// offer gives the socket to everyone who connects to the Unix socket.
func offer(ctx context.Context, held *net.TCPListener, path string) error {
	descriptor, err := held.SyscallConn()
	if err != nil {
		return fmt.Errorf("offer the socket: %w", err)
	}
	// A former holder that was killed has left its socket behind.
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("offer the socket: %w", err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		return fmt.Errorf("offer the socket: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	for {
		taker, err := l.AcceptUnix()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("offer the socket: %w", err)
		}
		// An os.File would make the socket block, and with it that of who serves:
		// all copies share the mode. One that has gone meanwhile asks again if it
		// wants to.
		err = descriptor.Control(func(fd uintptr) {
			_, _, _ = taker.WriteMsgUnix([]byte{0}, syscall.UnixRights(int(fd)), nil)
		})
		_ = taker.Close()
		if err != nil {
			return fmt.Errorf("offer the socket: %w", err)
		}
	}
}

// Take asks the holder at path for its socket, and waits for the holder until
// ctx ends.
func Take(ctx context.Context, path string) (net.Listener, error) {
	var taken net.Listener
	var last error
	err := wait.PollUntilContextCancel(ctx, retry/20, true, func(context.Context) (bool, error) {
		taken, last = take(path)
		return last == nil, nil
	})
	if err != nil {
		return nil, fmt.Errorf("take the socket from %s: %w", path, last)
	}
	return taken, nil
}

func take(path string) (net.Listener, error) {
	holder, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path})
	if err != nil {
		return nil, err
	}
	defer func() { _ = holder.Close() }() // it was only read
	if err := holder.SetReadDeadline(time.Now().Add(retry)); err != nil {
		return nil, err
	}
	message, rights := make([]byte, 1), make([]byte, syscall.CmsgSpace(4)) // one descriptor is an int32
	_, n, _, _, err := holder.ReadMsgUnix(message, rights)
	if err != nil {
		return nil, err
	}
	file, err := received(rights[:n])
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // the listener has a copy of its own
	return net.FileListener(file)
}

// received is the file that a control message brings.
func received(control []byte) (*os.File, error) {
	messages, err := syscall.ParseSocketControlMessage(control)
	if err != nil {
		return nil, err
	}
	if len(messages) != 1 {
		return nil, fmt.Errorf("want one socket, got %d messages", len(messages))
	}
	descriptors, err := syscall.ParseUnixRights(&messages[0])
	if err != nil {
		return nil, err
	}
	for _, extra := range descriptors[1:] {
		_ = syscall.Close(extra)
	}
	syscall.CloseOnExec(descriptors[0])
	return os.NewFile(uintptr(descriptors[0]), "listener"), nil
}
