// Package suite installs taojob as people do, by its chart with the real helm,
// on a real node, where pods really run: the webhook's own, and those of the
// Jobs that it is for.
//
// By default the node is this machine, in a sandbox. With E2E_KUBECONFIG the
// suite runs on that cluster instead; E2E_WEBHOOK_IMAGE then names the
// webhook's image there, E2E_TORCH_IMAGE one with torchrun, and the tests that
// stop parts of the cluster are skipped.
package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/taojob/taojob/e2e/cluster"
	"github.com/taojob/taojob/e2e/node"
	"github.com/taojob/taojob/e2e/webhook"
)

var here *site

func TestMain(m *testing.M) {
	code, err := runAll(context.Background(), m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "node suite:", err)
		code = 1
	}
	os.Exit(code)
}

func runAll(ctx context.Context, m *testing.M) (code int, err error) {
	if os.Getenv(kubeconfigEnv) == "" && !node.Inside() {
		if err := prepare(ctx); err != nil {
			return 1, err
		}
		return node.Sandbox(ctx)
	}
	if here, err = open(ctx); err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, here.close()) }()
	return m.Run(), nil
}

// prepare builds all that the suite needs while there is a network: the
// sandbox has none.
func prepare(ctx context.Context) error {
	if err := node.Build(ctx, ""); err != nil {
		return err
	}
	if _, err := cluster.Helm(ctx); err != nil {
		return err
	}
	root, err := webhook.Root()
	if err != nil {
		return err
	}
	for _, folder := range []string{node.CertManager, "cmd/webhook", "cmd/kubectl-tao", imageTool} {
		if err := node.Compile(ctx, root, folder, os.DevNull); err != nil {
			return err
		}
	}
	return nil
}
