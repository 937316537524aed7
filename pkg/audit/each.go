package audit

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// each calls do for 0 to n-1, on as many goroutines as there are processors.
func each(n int, do func(int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	workers.Wait()
}

// counter returns a function that tells how many times it was called, one call
// after the other; tell may be nil.
func counter(all int, tell func(done, all int)) func() {
	if tell == nil {
		return func() {}
	}
	var lock sync.Mutex
	done := 0
	return func() {
		lock.Lock()
		defer lock.Unlock()
		done++
		tell(done, all)
	}
}
