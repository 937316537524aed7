package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/taojob/taojob/e2e/cluster"
)

func buildCommand() *cobra.Command {
	var version string
	var tools bool
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Build the binaries that a cluster needs, and start nothing",
		Long: `Build etcd, the control plane and kubectl of a version unless they are there,
and print their folder. What "up" would build on demand is then at hand: run it
once on a new machine, or to fill the cache of a CI job.`,
		Example: `  go run ./cmd/cluster build
  go run ./cmd/cluster build --version 1.27 --tools`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			assets, err := cluster.Binaries(cmd.Context(), version)
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), assets.Dir)
			if tools {
				return buildTools(cmd)
			}
			return nil
		},
	}
	versionFlag(cmd, &version)
	cmd.Flags().BoolVar(&tools, "tools", false, "build Helm, Kustomize and kwok as well, and print their paths")
	return cmd
}

func buildTools(cmd *cobra.Command) error {
	for _, tool := range []func(context.Context) (string, error){cluster.Helm, cluster.Kustomize, cluster.Kwok} {
		path, err := tool(cmd.Context())
		if err != nil {
			return err
		}
		fmt.Fprintln(cmd.OutOrStdout(), path)
	}
	return nil
}

func versionFlag(cmd *cobra.Command, version *string) {
	cmd.Flags().StringVar(version, "version", cluster.DefaultVersion,
		"Kubernetes version: "+strings.Join(cluster.Minors(), ", ")+", or an exact one such as 1.34.4")
}
