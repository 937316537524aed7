package cluster

import (
	"net"
	"sync"
	"testing"
)

func TestFreePortsAreNeverHandedOutTwice(t *testing.T) {
	const callers, each = 20, 5
	var (
		mu   sync.Mutex
		seen = map[int]bool{}
		wg   sync.WaitGroup
	)
	for range callers {
		wg.Go(func() {
			ports, err := freePorts(each)
			mu.Lock()
			defer mu.Unlock()
			if err != nil || len(ports) != each {
				t.Errorf("freePorts(%d) = %v, %v", each, ports, err)
			}
			for _, p := range ports {
				if seen[p] || p < firstPort || p >= firstPort+portCount {
					t.Errorf("port %d is out of range or was handed out before", p)
				}
				seen[p] = true
			}
		})
	}
	wg.Wait()
}

func TestAPortInUseIsNotFree(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if port := l.Addr().(*net.TCPAddr).Port; isFree(port) {
		t.Errorf("port %d counts as free while we listen on it", port)
	}
}
