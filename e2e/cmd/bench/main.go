// Command bench measures what admission by our webhook costs: dry-run creates
// of one Job through a real API server, with no webhook, with a pair of
// controller-runtime webhooks that do nothing, and with ours. All three are
// measured on one control plane, in turns, so that what else the machine does
// hits them alike.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/taojob/taojob/e2e/cluster"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := root().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

type options struct {
	version                string
	rounds, creates, nodes int
	limit                  time.Duration
}

func root() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure creates through a real API server: no webhook, a do-nothing pair, ours",
		Example: `  go run ./cmd/bench
  go run ./cmd/bench --nodes 5000`,
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.rounds < 1 || o.creates < 1 || o.nodes < 1 {
				return errors.New("read flags: want at least one round, create and node")
			}
			return bench(cmd.Context(), o, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.version, "version", cluster.DefaultVersion, "Kubernetes version")
	f.IntVar(&o.rounds, "rounds", 10, "turns that each of the three gets")
	f.IntVar(&o.creates, "creates", 100, "creates in each turn")
	f.DurationVar(&o.limit, "limit", 2*time.Minute, "begin no further turns after this time")
	f.IntVar(&o.nodes, "nodes", 5, "pretended nodes with eight GPUs each")
	cmd.AddCommand(nothingCommand())
	return cmd
}
