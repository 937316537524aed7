package mutate_test

import (
	"fmt"
	"testing"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/job/jobtest"
	"github.com/taojob/taojob/pkg/mutate"
)

// BenchmarkMutate injects into a Job of 40 variables, beside the copy that
// every mutation has to make.
func BenchmarkMutate(b *testing.B) {
	in := jobtest.New("train").Annotate(job.Nodes, "2").GPUs("8").Defaulted()
	for i := range 40 {
		in = in.Env(fmt.Sprintf("SETTING_%d", i), "value")
	}
	j := in.Obj()
	b.Run("copy", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = j.DeepCopy()
		}
	})
	b.Run("inject", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, errs := mutate.Mutate(j, mutate.Options{}); len(errs) > 0 {
				b.Fatal(errs)
			}
		}
	})
}
