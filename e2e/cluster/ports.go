package cluster

import (
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
)

// Ports are taken from below both the range the kernel takes source ports from
// (a client that retries against a stopped server could otherwise be given the
// server's own port, and so block its restart) and that of node ports.
const (
	firstPort = 20000
	portCount = 10000
)

// taken remembers the ports handed out in this process, so that clusters that
// start side by side never choose the same one.
var taken = struct {
	sync.Mutex
	ports map[int]bool
}{ports: map[int]bool{}}

// freePorts finds n loopback ports that nobody listens on.
func freePorts(n int) ([]int, error) {
	taken.Lock()
	defer taken.Unlock()
	var found []int
	for range portCount {
		if len(found) == n {
			return found, nil
		}
		port := firstPort + rand.IntN(portCount)
		if taken.ports[port] || !isFree(port) {
			continue
		}
		taken.ports[port] = true
		found = append(found, port)
	}
	return nil, fmt.Errorf("find %d free loopback ports from %d on: only %d are free", n, firstPort, len(found))
}

func isFree(port int) bool {
	l, err := net.Listen("tcp", address(port))
	if err != nil {
		return false
	}
	return l.Close() == nil
}

func address(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }
