package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/taojob/taojob/pkg/audit"
	"github.com/taojob/taojob/pkg/config"
	"github.com/taojob/taojob/pkg/mutate"
	"github.com/taojob/taojob/pkg/rendezvous"
	"github.com/taojob/taojob/pkg/validate"
	"github.com/taojob/taojob/policies"
)

// timeLimit is for judging one Job. A webhook must hurry, a review need not.
const timeLimit = 30 * time.Second

// nameSuffix stands for the random end of a generated name.
const nameSuffix = "xxxxx"

// reviewer is made of the flags, and of what files and cluster say.
func (f *judgeFlags) reviewer(ctx context.Context, stdin io.Reader) (*audit.Reviewer, error) {
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
	policy, err := settings.Policy(engine)
	if err != nil {
		return nil, fmt.Errorf("read config %s: %w", f.config, err)
	}
	known, err := f.facts(ctx, stdin)
	if err != nil {
		return nil, err
	}
	f.known = known
	return &audit.Reviewer{
		Policy:    policy,
		Options:   f.options(settings),
		Namespace: cmp.Or(f.namespace, known.namespace),
		Cluster:   known.facts(),
		Service:   rendezvous.Service,
	}, nil
}

func (f *judgeFlags) engine(ctx context.Context, actions validate.Actions) (*validate.Engine, error) {
	options := []validate.Option{validate.WithActions(actions), validate.WithTimeLimit(timeLimit)}
	if f.policies != "" {
		options = append(options, validate.WithPolicies(f.policies, os.DirFS(f.policies)))
	}
	return validate.New(ctx, policies.FS, options...)
}

// options draws a real name for what is going to be applied.
func (f *judgeFlags) options(c *config.Config) mutate.Options {
	o := c.Options()
	o.NameSuffix = nameSuffix
	if f.output == "yaml" {
		o.NameSuffix = rand.String(len(nameSuffix))
	}
	return o
}

// facts come from the cluster or from the inventory; a version that is named wins.
func (f *judgeFlags) facts(ctx context.Context, stdin io.Reader) (*state, error) {
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

// tell names what of the cluster could not be asked for.
func (f *judgeFlags) tell(notes io.Writer) {
	for _, note := range f.known.notes {
		fmt.Fprintln(notes, "warning:", note)
	}
}

// read reads the manifests; what they bring along counts as there.
func (f *judgeFlags) read(stdin io.Reader, r *audit.Reviewer) ([]audit.Object, []audit.Problem) {
	objects, problems := audit.Read(f.files, stdin, audit.MaxManifest)
	f.known.plan(objects, cmp.Or(r.Namespace, metav1.NamespaceDefault))
	return objects, problems
}
