package main

import (
	"errors"
	"os"

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
webhook. The default folder is removed, with its keys, data and logs; one that was
named with --dir stays. Where none runs there is nothing to do, and that is no error.`,
		Example: `  go run ./cmd/cluster down`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := errors.Join(webhook.Down(cmd.Context(), dir), cluster.Down(cmd.Context(), dir))
			if err != nil || dir != defaultDir() { // there may be more in a folder of somebody's choice
				return err
			}
			return os.RemoveAll(dir)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", defaultDir(), "folder that was given to up")
	return cmd
}
