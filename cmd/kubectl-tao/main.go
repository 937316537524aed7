// Command kubectl-tao is the kubectl plugin of taojob: kubectl tao.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taojob/taojob/pkg/audit"
)

// version is set by the linker.
var version string

// currentVersion is the linker's, or the module's that go install built.
func currentVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") {
		return info.Main.Version
	}
	return "dev"
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// exitError ends the command with a code and without a message: all was said.
type exitError int

// Error names the code.
func (e exitError) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// run executes the command line and returns the exit code. What the command
// line itself has wrong is bad input.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := rootCommand() //nolint:contextcheck // cobra hands the context on
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if code, ok := errors.AsType[exitError](err); ok {
		return int(code)
	}
	if err != nil {
		fmt.Fprintln(stderr, "error:", err)
		return audit.ExitBadInput
	}
	return 0
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "kubectl-tao",
		Short: "Review Jobs for NVIDIA TAO as the cluster would",
		Long: `The kubectl plugin of taojob: reviews Jobs for NVIDIA TAO as the cluster would.

kubectl completes a plugin's arguments by an executable kubectl_complete-tao in the
PATH. This is all it takes:

  #!/bin/sh
  exec kubectl-tao __complete "$@"`,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl tao"},
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(reviewCommand(), auditCommand(), doctorCommand(), &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		Run:   func(c *cobra.Command, _ []string) { fmt.Fprintln(c.OutOrStdout(), currentVersion()) },
	})
	return root
}
