package node

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Compile builds a command of this checkout, given as a folder relative to its
// top, into a file. Built once with the network, it builds in a sandbox again:
// all modules are there by then.
func Compile(ctx context.Context, root, folder, target string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", target, ".")
	cmd.Dir = filepath.Join(root, folder)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w: %s", folder, err, out)
	}
	return nil
}
