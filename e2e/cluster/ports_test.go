package cluster

import (
	"net"
	"sync"
	"testing"
)

func TestPortsAreReservedUntilReleased(t *testing.T) {
	const callers, each = 20, 5
	var (
		mu   sync.Mutex
		seen = map[int]bool{}
		wg   sync.WaitGroup
	)
	for range callers {
		wg.Go(func() {
			p, err := reservePorts(each)
			if err != nil || len(p.numbers) != each {
				t.Errorf("reservePorts(%d) = %v, %v", each, p, err)
				return
			}
			t.Cleanup(p.release)
			mu.Lock()
			defer mu.Unlock()
			for _, n := range p.numbers {
				if seen[n] || n < firstPort || n >= firstPort+portCount {
					t.Errorf("port %d is out of range or was handed out before", n)
				}
				seen[n] = true
			}
		})
	}
	wg.Wait()
}

func TestReservations(t *testing.T) {
	p, err := reservePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	other := &ports{}
	other.try(p.numbers[0])
	if len(other.numbers) != 0 {
		t.Errorf("port %d is reserved twice", p.numbers[0])
	}
	p.release()
	other.try(p.numbers[0])
	if len(other.numbers) != 1 {
		t.Errorf("port %d stays reserved after its release", p.numbers[0])
	}
	other.release()
}

func TestAPortInUseIsNotReserved(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p := &ports{}
	p.try(l.Addr().(*net.TCPAddr).Port)
	if len(p.numbers) != 0 {
		t.Errorf("port %d is reserved while we listen on it", p.numbers[0])
	}
}
