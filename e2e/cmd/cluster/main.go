// Command cluster brings a real Kubernetes control plane up on this machine,
// to try taojob against: etcd and Kubernetes' own binaries, on loopback, with
// nodes and GPUs that are only pretended. It holds flags and wiring; package
// cluster does the work.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/taojob/taojob/e2e/cluster"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := root().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		stop()
		os.Exit(1)
	}
}

func root() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "Run a real Kubernetes control plane here, with pretended GPU nodes",
		Long: `Run a real Kubernetes control plane on this machine: etcd, kube-apiserver,
kube-controller-manager and kube-scheduler, all on loopback. Neither Docker nor
root is needed, only Linux and Go.

The binaries are built from the Go modules the first time, which takes about
ten minutes, and kept in $` + cluster.CacheEnv + ` (default: a folder "taojob" in your cache).
Binaries that you have already are used if $` + cluster.AssetsEnv + ` names a
folder with all of them. Afterwards a cluster is up within seconds.

Nodes have no kubelet and no GPU: pods are scheduled to them, but never run.`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	cmd.AddCommand(upCommand(), downCommand(), buildCommand())
	return cmd
}

// defaultDir is in the user's own cache: it holds keys, and others may write to
// the temporary folder.
func defaultDir() string {
	dir, err := os.UserCacheDir()
	if err != nil { // no home
		dir = os.TempDir()
	}
	return filepath.Join(dir, "taojob-cluster")
}
