package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/taojob/taojob/pkg/audit"
	"github.com/taojob/taojob/pkg/config"
	"github.com/taojob/taojob/pkg/facts"
	"github.com/taojob/taojob/pkg/mutate"
	"github.com/taojob/taojob/pkg/rendezvous"
	"github.com/taojob/taojob/pkg/validate"
	"github.com/taojob/taojob/policies"
)

// timeLimit is for judging one Job. A webhook must hurry, a review need not.
const timeLimit = 30 * time.Second

// nameSuffix stands for the random end of a generated name.
const nameSuffix = "xxxxx"

// reviewFlags are what review was asked for.
type reviewFlags struct {
	files       []string
	inventory   []string
	kubeVersion string
	config      string
	policies    string
	namespace   string
	output      string
	cluster     bool
	access      access

	// known is what the cluster or the inventory tells.
	known *state
}

func reviewCommand() *cobra.Command {
	f := &reviewFlags{}
	c := &cobra.Command{
		Use:   "review -f FILE|DIR|-",
		Short: "Show what the cluster would do with the Jobs in manifests",
		Long: `Review shows what the webhooks would do with every labelled Job and CronJob in the
manifests: what they refuse or warn about, and what they inject. It needs no cluster;
what it cannot know without one, it names as not judged. In a folder, files that are no
Kubernetes objects are passed over; Helm charts have to be rendered first.

With -o yaml the output can be applied: each allowed Job as injected, after its Service. A
CronJob stays as it is, since its Jobs are what the webhooks inject. Denied Jobs, and
Jobs that hold a credential, are left out and named on standard error. No format ever
shows a value that was found to be a credential.

Exit code: 0 all Jobs allowed, 1 a Job denied, 2 bad input, 3 no labelled Job found.`,
		Example: `  kubectl tao review -f job.yaml
  kubectl tao review -f job.yaml -o diff
  helm template CHART | kubectl tao review -f - -o json
  kubectl get nodes,services -A -o json > state.json
  kubectl tao review -f jobs/ --inventory state.json --kube-version 1.31`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	flags := c.Flags()
	flags.StringArrayVarP(&f.files, "filename", "f", nil, "`FILE`, folder or - for standard input; repeatable")
	flags.StringArrayVar(&f.inventory, "inventory", nil, "`FILE` with Nodes and Services, as kubectl get -o json or yaml writes it; repeatable")
	flags.StringVar(&f.kubeVersion, "kube-version", "", "the cluster's Kubernetes `VERSION`, such as 1.31")
	flags.StringVar(&f.config, "config", "", "configuration `FILE` of the webhooks")
	flags.StringVar(&f.policies, "policies", "", "`FOLDER` with rules to add to the built-in ones")
	flags.StringVarP(&f.namespace, "namespace", "n", "", "`NAMESPACE` of Jobs that name none (default: the context's with --cluster, else \"default\")")
	flags.StringVarP(&f.output, "output", "o", "text", "output `FORMAT`: "+strings.Join(audit.Formats(false), ", "))
	flags.BoolVar(&f.cluster, "cluster", false, "ask the cluster of the current context for its version, nodes and services")
	flags.StringVar(&f.access.kubeconfig, "kubeconfig", "", "kubeconfig `FILE` for --cluster")
	flags.StringVar(&f.access.context, "context", "", "kubeconfig `CONTEXT` for --cluster")
	complete(c)
	return c
}

func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return errors.New("review takes no arguments: name files with -f")
	}
	return nil
}

// complete completes what is not a file name. The errors are about flags that
// are not there.
func complete(c *cobra.Command) {
	formats := cobra.FixedCompletions(audit.Formats(true), cobra.ShellCompDirectiveNoFileComp)
	_ = c.RegisterFlagCompletionFunc("output", formats)
	_ = c.RegisterFlagCompletionFunc("kube-version", cobra.NoFileCompletions)
	_ = c.RegisterFlagCompletionFunc("namespace", cobra.NoFileCompletions)
	_ = c.MarkFlagDirname("policies")
	_ = c.MarkFlagFilename("inventory", "yaml", "yml", "json")
	_ = c.MarkFlagFilename("config", "yaml", "yml")
}

// run reviews, writes the report and returns the exit code as an error.
func (f *reviewFlags) run(c *cobra.Command) error {
	if err := f.check(); err != nil {
		return err
	}
	reviewer, err := f.reviewer(c.Context(), c.InOrStdin())
	if err != nil {
		return err
	}
	for _, note := range f.known.notes {
		fmt.Fprintln(c.ErrOrStderr(), "warning:", note)
	}
	objects, problems := audit.Read(f.files, c.InOrStdin(), audit.MaxManifest)
	f.known.plan(objects, cmp.Or(reviewer.Namespace, metav1.NamespaceDefault))
	report := reviewer.Review(c.Context(), objects, problems)
	out, notes := c.OutOrStdout(), c.ErrOrStderr()
	if err := report.Write(out, f.output, audit.Style{Color: colorful(out) && colorful(notes), Notes: notes}); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	for _, p := range report.Problems {
		fmt.Fprintln(notes, "error:", p)
	}
	for _, p := range report.Notes {
		fmt.Fprintln(notes, "warning:", p)
	}
	if code := report.ExitCode(); code != audit.ExitAllowed {
		return exitError(code)
	}
	return nil
}

func (f *reviewFlags) check() error {
	switch {
	case len(f.files) == 0:
		return errors.New("review what? name a file or folder with -f, or give -f - for standard input")
	case f.cluster && len(f.inventory) > 0:
		return errors.New("give --inventory or --cluster, not both")
	case slices.Contains(f.files, audit.Stdin) && slices.Contains(f.inventory, audit.Stdin):
		return errors.New("standard input cannot be both manifests and inventory")
	case !f.cluster && f.access != access{}:
		return errors.New("--kubeconfig and --context need --cluster")
	}
	return audit.CheckFormat(f.output)
}

// reviewer is made of the flags, and of what files and cluster say.
func (f *reviewFlags) reviewer(ctx context.Context, stdin io.Reader) (*audit.Reviewer, error) {
	settings := &config.Config{}
	if f.config != "" {
		var err error
		if settings, err = config.Read(f.config); err != nil {
			return nil, err
		}
	}
	engine, err := f.engine(ctx, settings.Rules)
	if err != nil {
		return nil, err
	}
	known, err := f.facts(ctx, stdin)
	if err != nil {
		return nil, err
	}
	f.known = known
	return &audit.Reviewer{
		Engine:    engine,
		Options:   f.options(settings),
		Namespace: cmp.Or(f.namespace, known.namespace),
		Cluster:   facts.Cluster{Version: known.version, Nodes: known.nodes, Service: known.service},
		Service:   rendezvous.Service,
	}, nil
}

func (f *reviewFlags) engine(ctx context.Context, actions validate.Actions) (*validate.Engine, error) {
	options := []validate.Option{validate.WithActions(actions), validate.WithTimeLimit(timeLimit)}
	if f.policies != "" {
		options = append(options, validate.WithPolicies(f.policies, os.DirFS(f.policies)))
	}
	return validate.New(ctx, policies.FS, options...)
}

// options draws a real name for what is going to be applied.
func (f *reviewFlags) options(c *config.Config) mutate.Options {
	o := c.Options()
	o.NameSuffix = nameSuffix
	if f.output == "yaml" {
		o.NameSuffix = rand.String(len(nameSuffix))
	}
	return o
}

// facts come from the cluster or from the inventory; a version that is named wins.
func (f *reviewFlags) facts(ctx context.Context, stdin io.Reader) (*state, error) {
	known := &state{}
	var err error
	switch {
	case f.cluster:
		known, err = f.access.ask(ctx)
	case len(f.inventory) > 0:
		known, err = inventory(f.inventory, stdin)
	}
	if err != nil {
		return nil, err
	}
	if f.kubeVersion != "" {
		version, err := validate.ParseVersion(f.kubeVersion)
		if err != nil {
			return nil, err
		}
		known.version = &version
	}
	return known, nil
}

// colorful tells whether w is a terminal whose user wants colors (no-color.org).
func colorful(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && os.Getenv("NO_COLOR") == "" && term.IsTerminal(int(f.Fd()))
}
