package main

import (
	"github.com/spf13/cobra"

	"github.com/taojob/taojob/pkg/socket"
)

func holdCommand() *cobra.Command {
	var address, path string
	c := &cobra.Command{
		Use:   "hold",
		Short: "Keep the webhooks' port open while the server is started again",
		Long: `Listen where the webhooks are served and answer nothing: "webhook serve --socket"
takes a copy of the listening socket and does the serving. If that process is
killed, the API server's connections wait for its successor instead of being
refused, each of which would be a Job refused.

It belongs into a container of its own, beside the server's in the same pod.`,
		Example: `  webhook hold --address :9443 --socket /run/taojob/socket &
  webhook serve --socket /run/taojob/socket --cert-dir /certs`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return socket.Hold(cmd.Context(), address, path)
		},
	}
	c.Flags().StringVar(&address, "address", ":9443", "address to listen on")
	c.Flags().StringVar(&path, "socket", "/run/taojob/socket", "`path` of the Unix socket on which the server asks")
	return c
}
