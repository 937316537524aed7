package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/taojob/taojob/pkg/audit"
	"github.com/taojob/taojob/pkg/validate"
)

// auditFlags are what audit was asked for.
type auditFlags struct {
	judgeFlags
	finished bool
	failOn   string
}

func auditCommand() *cobra.Command {
	f := &auditFlags{judgeFlags: judgeFlags{formats: audit.AuditFormats}}
	c := &cobra.Command{
		Use:   "audit {-f FILE|DIR|- | --cluster}",
		Short: "Find what breaks the rules, in manifests or in a cluster",
		Long: `Audit asks the rules about every labelled Job and CronJob in manifests, or about those
of a cluster, and writes down what they find in the format that a person, a CI system or
an auditor reads. With --cluster and no -f, the Jobs are those of the cluster that are
not finished yet, judged as they are there; it takes the permission to list jobs and
cronjobs. Nothing is changed, and no format ever shows a value that was found to be a
credential, or what else is in a Job.

Exit code: 0 nothing found that --fail-on names, 1 something found, 2 bad input,
3 no labelled Job found.`,
		Example: `  kubectl tao audit --cluster
  kubectl tao audit --cluster -n team-a --fail-on warn
  kubectl tao audit -f jobs/ --kube-version 1.31
  helm template CHART | kubectl tao audit -f -
  kustomize build overlays/prod | kubectl tao audit -f -

  # GitHub Actions: beside the lines of a pull request, or as code scanning alerts
  kubectl tao audit -f jobs/ -o github
  kubectl tao audit -f jobs/ -o sarif > tao.sarif

  # GitLab CI: with artifacts:reports:junit: tao.xml
  kubectl tao audit -f jobs/ -o junit > tao.xml

  # Kubernetes: as Report objects, for what shows OpenReports
  kubectl tao audit --cluster -o openreports | kubectl apply -f -`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	flags := c.Flags()
	f.add(flags)
	flags.StringVarP(&f.namespace, "namespace", "n", "", "with -f, the `NAMESPACE` of Jobs that name none; without, the one whose Jobs to audit (default: all)")
	flags.BoolVar(&f.cluster, "cluster", false, "audit the cluster of the current context; with -f, only ask it for facts")
	flags.BoolVar(&f.finished, "all", false, "with --cluster, audit Jobs that are finished as well")
	flags.StringVar(&f.failOn, "fail-on", string(validate.Deny), "what to exit with 1 for: `deny`, or warn for warnings as well")
	f.complete(c)
	_ = c.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions([]string{"deny", "warn"}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// run audits, writes the report and returns the exit code as an error.
func (f *auditFlags) run(c *cobra.Command) error {
	if err := f.check(); err != nil {
		return err
	}
	reviewer, objects, problems, err := f.begin(c)
	if err != nil {
		return err
	}
	if f.live() {
		if objects, err = f.jobs(c.Context()); err != nil {
			return err
		}
		reviewer.Progress = meter(c.ErrOrStderr())
	}
	reviewer.Brief = true
	report := reviewer.Review(c.Context(), objects, problems)
	if err := c.Context().Err(); err != nil {
		return fmt.Errorf("audit: stopped before the end: %w", err)
	}
	return f.write(c, report, validate.Action(f.failOn))
}

// live tells whether the Jobs of the cluster are meant.
func (f *auditFlags) live() bool { return f.cluster && len(f.files) == 0 }

// jobs reads those of the cluster.
func (f *auditFlags) jobs(ctx context.Context) ([]audit.Object, error) {
	client, _, err := f.access.client()
	if err != nil {
		return nil, err
	}
	return audit.Live(ctx, client, f.namespace, f.finished)
}

func (f *auditFlags) check() error {
	switch {
	case len(f.files) == 0 && !f.cluster:
		return errors.New("audit what? name a file or folder with -f, give -f - for standard input, or --cluster")
	case f.finished && !f.live():
		return errors.New("--all is about the Jobs of a cluster: give --cluster, without -f")
	case f.failOn != string(validate.Deny) && f.failOn != string(validate.Warn):
		return fmt.Errorf("unknown --fail-on %q, want deny or warn", f.failOn)
	}
	return f.judgeFlags.check()
}
