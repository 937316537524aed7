package main

import (
	"context"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/taojob/taojob/pkg/config"
	"github.com/taojob/taojob/pkg/mutate"
	"github.com/taojob/taojob/pkg/reload"
	"github.com/taojob/taojob/pkg/validate"
	"github.com/taojob/taojob/policies"
)

// settings are the configuration file and the rules, ready to use.
type settings struct {
	options mutate.Options
	policy  *validate.Policy
}

// load reads the configuration, the defaults without one, and compiles the rules.
func load(ctx context.Context, o *options) (*settings, error) {
	c := &config.Config{}
	if o.config != "" {
		var err error
		if c, err = config.Read(o.config); err != nil {
			return nil, err
		}
	}
	opts := []validate.Option{validate.WithActions(c.Rules)}
	if o.policies != "" {
		if info, err := os.Stat(o.policies); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("read --policies: there is no folder %s; make it, or leave the flag out", o.policies)
		}
		opts = append(opts, validate.WithPolicies(o.policies, os.DirFS(o.policies)))
	}
	engine, err := validate.New(ctx, policies.FS, opts...)
	if err != nil {
		return nil, err
	}
	policy, err := c.Policy(engine)
	if err != nil {
		return nil, fmt.Errorf("read config %s: %w", o.config, err)
	}
	return &settings{options: c.Options(), policy: policy}, nil
}

// follow reads the settings, and again whenever their files change.
func follow(ctx context.Context, o *options, events client.Client) (*reload.Files[*settings], error) {
	var paths []string
	for _, path := range []string{o.config, o.policies} {
		if path != "" {
			paths = append(paths, path)
		}
	}
	pod := reload.Pod{Namespace: os.Getenv("POD_NAMESPACE"), Name: os.Getenv("POD_NAME"), UID: types.UID(os.Getenv("POD_UID"))}
	return reload.New(ctx, reload.Options{Paths: paths, Failed: reload.Report(events, pod)},
		func(ctx context.Context) (*settings, error) { return load(ctx, o) })
}
