// Command ruledocs writes docs/rules/ from the rules' METADATA and examples,
// and with it what conftest has to know of the rules.
//
// Every rule has a folder in examples/rules/: refused.yaml, which this rule and
// no other finds fault with, allowed.yaml, which none does, and input.yaml, which
// is the refused one as the rule sees it. The examples are reviewed with the
// kubectl plugin, so that what the pages show is what users see.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := write(context.Background(), "."); err != nil {
		fmt.Fprintln(os.Stderr, "ruledocs:", err)
		os.Exit(1)
	}
}

// write puts all files below root in place, and removes pages of rules that
// are gone.
func write(ctx context.Context, root string) error {
	files, err := files(ctx, root)
	if err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(root, pagesFolder, "*.md"))
	if err != nil {
		return err
	}
	for _, file := range old {
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	for name, content := range files {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}
