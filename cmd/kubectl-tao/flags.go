package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/taojob/taojob/pkg/audit"
)

// judgeFlags are those of every command that judges Jobs: what to judge, by
// which rules and facts, and how to write it down.
type judgeFlags struct {
	files       []string
	inventory   []string
	kubeVersion string
	config      string
	policies    string
	namespace   string
	output      string
	cluster     bool
	access      access

	// formats are those that the command writes.
	formats audit.Formats
	// known is what the cluster or the inventory tells.
	known *state
}

// add defines the flags whose help is the same for every command.
func (f *judgeFlags) add(flags *pflag.FlagSet) {
	flags.StringArrayVarP(&f.files, "filename", "f", nil, "`FILE`, folder or - for standard input; repeatable")
	flags.StringArrayVar(&f.inventory, "inventory", nil, "`FILE` with Nodes, Services, ResourceQuotas and what else rules ask for, as kubectl get -o json or yaml writes it; repeatable")
	flags.StringVar(&f.kubeVersion, "kube-version", "", "the cluster's Kubernetes `VERSION`, such as 1.31")
	flags.StringVar(&f.config, "config", "", "configuration `FILE` of the webhooks")
	flags.StringVar(&f.policies, "policies", "", "`FOLDER` with rules to add to the built-in ones")
	flags.StringVarP(&f.output, "output", "o", "text", "output `FORMAT`: "+strings.Join(f.formats.Names(false), ", "))
	flags.StringVar(&f.access.kubeconfig, "kubeconfig", "", "kubeconfig `FILE` for --cluster")
	flags.StringVar(&f.access.context, "context", "", "kubeconfig `CONTEXT` for --cluster")
}

// complete completes what is not a file name. The errors are about flags that
// are not there.
func (f *judgeFlags) complete(c *cobra.Command) {
	formats := cobra.FixedCompletions(f.formats.Names(true), cobra.ShellCompDirectiveNoFileComp)
	_ = c.RegisterFlagCompletionFunc("output", formats)
	_ = c.RegisterFlagCompletionFunc("kube-version", cobra.NoFileCompletions)
	_ = c.RegisterFlagCompletionFunc("namespace", cobra.NoFileCompletions)
	_ = c.MarkFlagDirname("policies")
	_ = c.MarkFlagFilename("inventory", "yaml", "yml", "json")
	_ = c.MarkFlagFilename("config", "yaml", "yml")
}

// check refuses flags that contradict each other.
func (f *judgeFlags) check() error {
	switch {
	case f.cluster && len(f.inventory) > 0:
		return errors.New("give --inventory or --cluster, not both")
	case slices.Contains(f.files, audit.Stdin) && slices.Contains(f.inventory, audit.Stdin):
		return errors.New("standard input cannot be both manifests and inventory")
	case !f.cluster && f.access != access{}:
		return errors.New("--kubeconfig and --context need --cluster")
	}
	return f.formats.Check(f.output)
}

// begin makes the reviewer, and reads the manifests; what they bring along
// counts as there.
func (f *judgeFlags) begin(c *cobra.Command) (*audit.Reviewer, []audit.Object, []audit.Problem, error) {
	reviewer, err := f.reviewer(c.Context(), c.InOrStdin())
	if err != nil {
		return nil, nil, nil, err
	}
	for _, note := range f.known.notes {
		fmt.Fprintln(c.ErrOrStderr(), "warning:", note)
	}
	objects, problems := audit.Read(f.files, c.InOrStdin(), audit.MaxManifest)
	f.known.plan(objects, cmp.Or(reviewer.Namespace, metav1.NamespaceDefault))
	return reviewer, objects, problems, nil
}

// noArguments refuses arguments: what to judge is named by flags.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no arguments: name files with -f", c.Name())
	}
	return nil
}
