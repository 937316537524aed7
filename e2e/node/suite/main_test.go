package suite

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/taojob/taojob/e2e/node"
)

var real *node.Node

func TestMain(m *testing.M) {
	code, err := runAll(context.Background(), m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "node suite:", err)
		code = 1
	}
	os.Exit(code)
}

func runAll(ctx context.Context, m *testing.M) (code int, err error) {
	if !node.Inside() {
		if err := node.Build(ctx, ""); err != nil {
			return 1, err
		}
		return node.Sandbox(ctx)
	}
	if real, err = node.Start(ctx, node.Options{GPUs: 8, Log: os.Stderr}); err != nil {
		return 1, err
	}
	code = m.Run()
	return code, real.Stop()
}

func TestX(t *testing.T) { t.Log("up") }
