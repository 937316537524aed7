package cluster

import (
	"testing"

	"github.com/taojob/taojob/e2e/internal/process"
	"github.com/taojob/taojob/e2e/internal/processtest"
)

func TestDownStopsDetachedComponents(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{Etcd, APIServer} {
		_, err := process.Start(process.Command{
			Name: name, Dir: dir, Binary: "/bin/sh", Args: processtest.Sleeper(dir), Detach: true,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	checkError(t, (&Cluster{Dir: dir}).makeDir(), "the etcd of another cluster runs there")
	for range 2 { // the second time there is nothing to do
		if err := Down(t.Context(), dir); err != nil {
			t.Error(err)
		}
	}
	processtest.CheckNothingRuns(t, dir)
}
