package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taojob/taojob/pkg/doctor"
)

// exitUnfit is for a cluster on which something keeps Jobs from training.
const exitUnfit = 1

// doctorFlags are what doctor was asked for.
type doctorFlags struct {
	namespace, output string
	access            access
}

func doctorCommand() *cobra.Command {
	f := &doctorFlags{}
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check whether the cluster is fit for TAO training",
		Long: `Doctor looks at the cluster of the current context as a training Job would meet it: its
version, its GPUs and what advertises them, the webhooks, their pods and certificates,
DNS, and what the namespace asks of pods. Two trial Jobs, one good and one with a
credential, are sent as dry runs: nothing is ever created.

It needs the permission to create Jobs in the namespace and to read nodes, Services and
webhook configurations. What may not be read is told as unknown; Secrets never are.

Exit code: 0 nothing keeps Jobs from training, 1 something does, 2 the cluster cannot be reached.`,
		Example: `  kubectl tao doctor
  kubectl tao doctor -n vision --context prod
  kubectl tao doctor -o json | jq '.findings[] | select(.status != "ok")'`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	flags := c.Flags()
	flags.StringVarP(&f.namespace, "namespace", "n", "", "`NAMESPACE` to try Jobs in (default the context's)")
	flags.StringVarP(&f.output, "output", "o", "text", "output `FORMAT`: "+strings.Join(doctor.Formats(), ", "))
	flags.StringVar(&f.access.kubeconfig, "kubeconfig", "", "kubeconfig `FILE` (default as kubectl)")
	flags.StringVar(&f.access.context, "context", "", "`CONTEXT` of the kubeconfig (default the current one)")
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(doctor.Formats(), cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	return c
}

func (f *doctorFlags) run(c *cobra.Command) error {
	write, err := doctor.Writer(f.output)
	if err != nil {
		return err
	}
	client, namespace, err := f.access.client()
	if err != nil {
		return err
	}
	s, err := doctor.Gather(c.Context(), client, cmp.Or(f.namespace, namespace))
	if err != nil {
		return fmt.Errorf("reach the cluster: %w", err)
	}
	report := doctor.Examine(s)
	if err := write(c.OutOrStdout(), report, colorful(c.OutOrStdout())); err != nil {
		return err
	}
	if report.Failed() {
		return exitError(exitUnfit)
	}
	return nil
}
