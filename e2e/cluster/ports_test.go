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
			p := &ports{}
			t.Cleanup(p.release)
			numbers, err := p.reserve(each)
			if err != nil || len(numbers) != each {
				t.Errorf("reserve(%d) = %v, %v", each, numbers, err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			for _, n := range numbers {
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
	p, other := &ports{}, &ports{}
	numbers, err := p.reserve(1)
	if err != nil {
		t.Fatal(err)
	}
	other.try(numbers[0])
	if len(other.numbers) != 0 {
		t.Errorf("port %d is reserved twice", numbers[0])
	}
	p.release()
	other.try(numbers[0])
	if len(other.numbers) != 1 {
		t.Errorf("port %d stays reserved after its release", numbers[0])
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
