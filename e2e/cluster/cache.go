package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/taojob/taojob/e2e/internal/wait"
)

// CacheEnv names the variable that moves the cache of built binaries.
const CacheEnv = "TAOJOB_CACHE"

// cacheDir is where built binaries stay. It is outside any checkout, so that
// all of them share one build.
func cacheDir() (string, error) {
	if dir := os.Getenv(CacheEnv); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a cache folder (set %s to choose one): %w", CacheEnv, err)
	}
	return filepath.Join(dir, "taojob"), nil
}

// withLock runs do while no other process runs it for the same path. The lock
// dies with its holder, so an interrupted build blocks nobody.
func withLock(ctx context.Context, path string, do func() error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make cache folder: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return fmt.Errorf("open lock: %w", err)
	}
	defer f.Close()
	var broken error
	err = wait.For(ctx, 200*time.Millisecond, func(context.Context) error {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err != nil && !errors.Is(err, syscall.EWOULDBLOCK) {
			broken = err // waiting longer won't help
			return nil
		}
		return err
	})
	if err := errors.Join(broken, err); err != nil {
		return fmt.Errorf("take the build lock %s: %w", path, err)
	}
	return do()
}

func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
