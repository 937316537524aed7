// Command manifests writes the Kustomize bases of config/, made from the chart.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/taojob/taojob/e2e/chart"
	"github.com/taojob/taojob/e2e/webhook"
)

func main() {
	if err := write(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "manifests:", err)
		os.Exit(1)
	}
}

func write(ctx context.Context) error {
	root, err := webhook.Root()
	if err != nil {
		return err
	}
	files, err := chart.Bases(ctx, root)
	if err != nil {
		return err
	}
	for name, content := range files {
		path := filepath.Join(root, "config", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}
