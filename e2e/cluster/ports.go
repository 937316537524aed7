package cluster

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
)

// Ports are taken from below both the range the kernel takes source ports from
// (a client that retries against a stopped server could otherwise be given the
// server's own port, and so block its restart) and that of node ports.
const (
	firstPort = 20000
	portCount = 10000
)

// ports are reserved loopback ports.
type ports struct {
	numbers []int
	locks   []net.Listener
}

// reserve finds n more ports that nobody listens on, and that no other cluster
// of this machine is about to listen on: the port of a component is chosen
// seconds before it starts.
func (p *ports) reserve(n int) ([]int, error) {
	had := len(p.numbers)
	for range portCount {
		if len(p.numbers) == had+n {
			return p.numbers[had:], nil
		}
		p.try(firstPort + rand.IntN(portCount))
	}
	return nil, fmt.Errorf("find %d free loopback ports from %d on: all are taken", n, firstPort)
}

// listening binds at once or not at all, so it needs no context.
var listening net.ListenConfig

// try reserves a port if it is free. The lock is a socket without a file: like
// a port it belongs to the network namespace, and it ends with its holder.
func (p *ports) try(number int) {
	lock, err := listening.Listen(context.Background(), "unix", fmt.Sprintf("@taojob-port-%d", number))
	if err != nil {
		return
	}
	if !isFree(number) {
		_ = lock.Close()
		return
	}
	p.numbers, p.locks = append(p.numbers, number), append(p.locks, lock)
}

func (p *ports) release() {
	for _, lock := range p.locks {
		_ = lock.Close()
	}
	p.numbers, p.locks = nil, nil
}

func isFree(port int) bool {
	l, err := listening.Listen(context.Background(), "tcp", address(port))
	if err != nil {
		return false
	}
	return l.Close() == nil
}

func address(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }
