package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/taojob/taojob/e2e/cluster"
	"github.com/taojob/taojob/e2e/webhook"
)

type upOptions struct {
	cluster.Options
	nodes, gpus   int
	kwok, webhook bool
}

func upCommand() *cobra.Command {
	var o upOptions
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start an empty cluster and print how to reach it",
		Long: `Start an empty cluster, print the line that points kubectl to it, and stop it on
Ctrl-C. With --detach it keeps running until "cluster down". With --webhook the
webhook of this checkout is built and judges the cluster's Jobs.`,
		Example: `  # In one terminal: two nodes with eight GPUs each, until Ctrl-C
  go run ./cmd/cluster up --nodes 2 --gpus 8

  # In the background, with our webhook and two nodes
  eval "$(go run ./cmd/cluster up --webhook --detach)"
  kubectl apply -f ../examples/two-node.yaml

  # In the background, on the oldest supported version, where pods seem to run
  eval "$(go run ./cmd/cluster up --version 1.27 --nodes 2 --kwok --detach)"
  kubectl get nodes
  go run ./cmd/cluster down`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Log = cmd.ErrOrStderr()
			if o.webhook && !cmd.Flags().Changed("nodes") {
				o.nodes = 2
			}
			return up(cmd.Context(), o, cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	versionFlag(cmd, &o.Version)
	f.StringVar(&o.Dir, "dir", defaultDir(), "folder for its keys, data and logs; what an earlier cluster left there is replaced")
	f.IntVar(&o.nodes, "nodes", 1, "pretended nodes, named node-0, node-1, …; with --webhook 2 by default")
	f.IntVar(&o.gpus, "gpus", 8, "GPUs of each node, as nvidia.com/gpu")
	f.BoolVar(&o.kwok, "kwok", false, "let kwok pretend to run the pods; those of Jobs succeed at once")
	f.BoolVar(&o.webhook, "webhook", false, "run the webhook of this checkout as well")
	f.BoolVar(&o.Detach, "detach", false, "return when the cluster is up and leave it running")
	return cmd
}

// up writes only the line to evaluate to out, so that a shell can do so.
func up(ctx context.Context, o upOptions, out io.Writer) error {
	c, err := cluster.Start(ctx, o.Options)
	if err != nil {
		return err
	}
	stop := c.Stop
	err = furnish(ctx, c, o)
	if err == nil && o.webhook {
		var w *webhook.Webhook
		if w, err = webhook.Start(ctx, c, webhook.Options{Detach: o.Detach, Log: o.Log}); err == nil {
			stop = func() error { return errors.Join(w.Stop(), c.Stop()) }
		}
	}
	if err != nil {
		return errors.Join(err, stop())
	}
	fmt.Fprintf(out, "export KUBECONFIG=%s\n", c.Kubeconfig)
	hint(o, c)
	if o.Detach {
		return nil
	}
	return errors.Join(c.Wait(ctx), stop())
}

// hint tells a person what to do next.
func hint(o upOptions, c *cluster.Cluster) {
	if o.webhook {
		fmt.Fprintf(o.Log, `set KUBECONFIG as printed, and try, in the checkout's top folder:
  %[1]s apply -f examples/two-node.yaml
  %[1]s get job gdino -o yaml
  %[1]s get service,pods -o wide
  %[1]s apply -f examples/bad/gpu-capacity.yaml
`, c.Assets.Kubectl())
	}
	switch {
	case !o.Detach:
		fmt.Fprintln(o.Log, "stop it with Ctrl-C")
	case c.Dir == defaultDir():
		fmt.Fprintln(o.Log, "stop it, and remove what it keeps, with: make cluster-down")
	default:
		fmt.Fprintf(o.Log, "stop it with: go run ./cmd/cluster down --dir %s (in e2e)\n", c.Dir)
	}
}

func furnish(ctx context.Context, c *cluster.Cluster, o upOptions) error {
	for i := range o.nodes {
		spec := cluster.NodeSpec{Name: fmt.Sprintf("node-%d", i), GPUs: o.gpus}
		if err := c.AddNode(ctx, spec); err != nil {
			return err
		}
	}
	if !o.kwok {
		return nil
	}
	return c.StartKwok(ctx)
}
