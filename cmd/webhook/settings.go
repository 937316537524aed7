package main

import (
	"context"
	"os"

	"github.com/taojob/taojob/pkg/config"
	"github.com/taojob/taojob/pkg/mutate"
	"github.com/taojob/taojob/pkg/validate"
	"github.com/taojob/taojob/policies"
)

// settings are the configuration file and the rules, ready to use.
type settings struct {
	options mutate.Options
	engine  *validate.Engine
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
		opts = append(opts, validate.WithPolicies(o.policies, os.DirFS(o.policies)))
	}
	engine, err := validate.New(ctx, policies.FS, opts...)
	if err != nil {
		return nil, err
	}
	return &settings{options: c.Options(), engine: engine}, nil
}
