package main

import (
	"context"
	"os"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/taojob/taojob/pkg/config"
	"github.com/taojob/taojob/pkg/mutate"
	"github.com/taojob/taojob/pkg/reload"
	"github.com/taojob/taojob/pkg/validate"
)

// settings are the configuration file and the rules, ready to use.
type settings struct {
	options mutate.Options
	policy  *validate.Policy
}

// load reads the configuration and compiles the rules.
func load(ctx context.Context, o *options) (*settings, error) {
	injection, policy, err := config.Load(ctx, o.config, o.policies)
	if err != nil {
		return nil, err
	}
	return &settings{options: injection, policy: policy}, nil
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
