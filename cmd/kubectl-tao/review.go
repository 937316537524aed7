package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/taojob/taojob/pkg/audit"
	"github.com/taojob/taojob/pkg/validate"
)

func reviewCommand() *cobra.Command {
	f := &judgeFlags{formats: audit.ReviewFormats}
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
  kubectl get nodes,services,resourcequotas,limitranges,pvc,sa -A -o json > state.json
  kubectl tao review -f jobs/ --inventory state.json --kube-version 1.31`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return f.review(c) },
	}
	f.add(c.Flags())
	c.Flags().StringVarP(&f.namespace, "namespace", "n", "", "`NAMESPACE` of Jobs that name none (default: the context's with --cluster, else \"default\")")
	c.Flags().BoolVar(&f.cluster, "cluster", false, "ask the cluster of the current context for its version, nodes, quotas and what else rules want to know")
	f.complete(c)
	return c
}

// review reviews manifests, writes the report and returns the exit code as an error.
func (f *judgeFlags) review(c *cobra.Command) error {
	if len(f.files) == 0 {
		return errors.New("review what? name a file or folder with -f, or give -f - for standard input")
	}
	if err := f.check(); err != nil {
		return err
	}
	reviewer, objects, problems, err := f.begin(c)
	if err != nil {
		return err
	}
	return f.write(c, reviewer.Review(c.Context(), objects, problems), validate.Deny)
}
