package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/taojob/taojob/e2e/cluster"
)

type upOptions struct {
	cluster.Options
	nodes, gpus int
	kwok        bool
}

func upCommand() *cobra.Command {
	var o upOptions
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start an empty cluster and print how to reach it",
		Long: `Start an empty cluster, print the line that points kubectl to it, and stop it on
Ctrl-C. With --detach it keeps running until "cluster down".`,
		Example: `  # In one terminal: two nodes with eight GPUs each, until Ctrl-C
  go run ./cmd/cluster up --nodes 2 --gpus 8

  # In the background, on the oldest supported version, where pods seem to run
  eval "$(go run ./cmd/cluster up --version 1.27 --nodes 2 --kwok --detach)"
  kubectl get nodes
  go run ./cmd/cluster down`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Log = cmd.ErrOrStderr()
			return up(cmd.Context(), o, cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	versionFlag(cmd, &o.Version)
	f.StringVar(&o.Dir, "dir", defaultDir(), "folder for its keys, data and logs; what an earlier cluster left there is replaced")
	f.IntVar(&o.nodes, "nodes", 1, "pretended nodes, named node-0, node-1, …")
	f.IntVar(&o.gpus, "gpus", 8, "GPUs of each node, as nvidia.com/gpu")
	f.BoolVar(&o.kwok, "kwok", false, "let kwok pretend to run the pods; those of Jobs succeed at once")
	f.BoolVar(&o.Detach, "detach", false, "return when the cluster is up and leave it running")
	return cmd
}

// up writes only the line to evaluate to out, so that a shell can do so.
func up(ctx context.Context, o upOptions, out io.Writer) error {
	c, err := cluster.Start(ctx, o.Options)
	if err != nil {
		return err
	}
	if err := furnish(ctx, c, o); err != nil {
		return errors.Join(err, c.Stop())
	}
	fmt.Fprintf(out, "export KUBECONFIG=%s\n", c.Kubeconfig)
	if o.Detach {
		fmt.Fprintf(o.Log, "stop it with: go run ./cmd/cluster down --dir %s\n", c.Dir)
		return nil
	}
	fmt.Fprintln(o.Log, "stop it with Ctrl-C")
	return errors.Join(c.Wait(ctx), c.Stop())
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
