package config

import (
	"context"
	"fmt"
	"os"

	"github.com/taojob/taojob/pkg/mutate"
	"github.com/taojob/taojob/pkg/validate"
	"github.com/taojob/taojob/policies"
)

// Load reads the configuration in file, the defaults if it is empty, and
// compiles the built-in rules and those in folder, if it is not empty. It
// returns the settings for injection and what is decided about the rules. The
// errors name the file, the folder or the rule.
func Load(ctx context.Context, file, folder string, options ...validate.Option) (mutate.Options, *validate.Policy, error) {
	c := &Config{}
	if file != "" {
		var err error
		if c, err = Read(file); err != nil {
			return mutate.Options{}, nil, err
		}
	}
	options = append(options, validate.WithActions(c.Rules))
	if folder != "" {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return mutate.Options{}, nil, fmt.Errorf("read policies: there is no folder %s; make it, or leave the flag out", folder)
		}
		options = append(options, validate.WithPolicies(folder, os.DirFS(folder)))
	}
	engine, err := validate.New(ctx, policies.FS, options...)
	if err != nil {
		return mutate.Options{}, nil, err
	}
	policy, err := c.Policy(engine)
	if err != nil {
		return mutate.Options{}, nil, fmt.Errorf("read config %s: %w", file, err)
	}
	return c.Options(), policy, nil
}
