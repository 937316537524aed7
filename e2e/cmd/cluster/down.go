package main

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/taojob/taojob/e2e/cluster"
	"github.com/taojob/taojob/e2e/webhook"
)

func downCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "down",
		Short: "Stop a cluster that was started with --detach",
		Long: `Stop the cluster that was started with --detach in the same folder, and its
webhook. Their logs stay there. Where none runs there is nothing to do, and that is no error.`,
		Example: `  go run ./cmd/cluster down`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return errors.Join(webhook.Down(cmd.Context(), dir), cluster.Down(cmd.Context(), dir))
		},
	}
	cmd.Flags().StringVar(&dir, "dir", defaultDir(), "folder that was given to up")
	return cmd
}
