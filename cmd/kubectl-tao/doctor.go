package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"

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

Exit code: 0 nothing keeps Jobs from training, 1 something does, 2 the cluster cannot be
reached, stopped answering, or may not be looked at.`,
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
	s, err := f.gather(c.Context(), c.ErrOrStderr())
	if err != nil {
		return err
	}
	report := doctor.Examine(s)
	if err := write(c.OutOrStdout(), report, colorful(c.OutOrStdout())); err != nil {
		return err
	}
	switch {
	case report.Failed():
		return exitError(exitUnfit)
	case report.Blind():
		return errors.New("nothing could be judged: you may not look at this cluster; " +
			"ask for the permissions above, or let somebody run this who has them")
	}
	return nil
}

// gather reads the cluster, and shows on a terminal what it waits for.
func (f *doctorFlags) gather(ctx context.Context, notes io.Writer) (*doctor.Snapshot, error) {
	client, current, err := f.access.client()
	if err != nil {
		return nil, err
	}
	namespace := cmp.Or(f.namespace, current)
	if wrong := validation.IsDNS1123Label(namespace); len(wrong) > 0 {
		return nil, fmt.Errorf("read the namespace's name: %s", strings.Join(wrong, "; "))
	}
	show, erase := status(notes)
	s, err := doctor.Gather(ctx, client, namespace, show)
	erase()
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return nil, errors.New("interrupted: nothing was judged")
	case err != nil:
		return nil, fmt.Errorf("ask the cluster: %w", err)
	}
	return s, nil
}
