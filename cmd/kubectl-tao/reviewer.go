package main

import (
	"cmp"
	"context"
	"io"
	"time"

	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/taojob/taojob/pkg/audit"
	"github.com/taojob/taojob/pkg/config"
	"github.com/taojob/taojob/pkg/rendezvous"
	"github.com/taojob/taojob/pkg/validate"
)

// timeLimit is for judging one Job. A webhook must hurry, a review need not.
const timeLimit = 30 * time.Second

// exampleSuffix stands for the random end of a generated name.
const exampleSuffix = "xxxxx"

// reviewer is made of the flags, and of what files and cluster say.
func (f *judgeFlags) reviewer(ctx context.Context, stdin io.Reader) (*audit.Reviewer, error) {
	injection, policy, err := config.Load(ctx, f.config, f.policies, validate.WithTimeLimit(timeLimit))
	if err != nil {
		return nil, err
	}
	known, err := f.facts(ctx, stdin)
	if err != nil {
		return nil, err
	}
	f.known = known
	injection.NameSuffix = f.nameSuffix()
	return &audit.Reviewer{
		Policy:    policy,
		Options:   injection,
		Namespace: cmp.Or(f.namespace, known.namespace),
		Cluster:   known.facts(),
		Service:   rendezvous.Service,
	}, nil
}

// nameSuffix is the end of a generated name: a real one for what is going to
// be applied.
func (f *judgeFlags) nameSuffix() string {
	if f.output == "yaml" {
		return rand.String(len(exampleSuffix))
	}
	return exampleSuffix
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
