package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestCommandName(t *testing.T) {
	for pkg, want := range map[string]string{
		"helm.sh/helm/v3/cmd/helm":             "helm",
		"sigs.k8s.io/kustomize/kustomize/v5":   "kustomize",
		"github.com/coredns/coredns":           "coredns",
		"github.com/versity/versitygw/cmd/v2x": "v2x", // a name, not a version
	} {
		if got := commandName(pkg); got != want {
			t.Errorf("commandName(%q) = %q, want %q", pkg, got, want)
		}
	}
}

func TestOnceBuildsOnceForManyCallers(t *testing.T) {
	target := filepath.Join(t.TempDir(), "tool")
	var builds atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			err := once(t.Context(), target, func(string) error {
				builds.Add(1)
				return os.WriteFile(target, nil, 0o755)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := builds.Load(); n != 1 {
		t.Errorf("built %d times", n)
	}
}

func TestAFailedBuildIsTriedAgain(t *testing.T) {
	target := filepath.Join(t.TempDir(), "tool")
	broken := errors.New("no compiler")
	if err := once(t.Context(), target, func(string) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	err := once(t.Context(), target, func(string) error { return os.WriteFile(target, nil, 0o755) })
	if err != nil || !isExecutable(target) {
		t.Errorf("the second try: %v", err)
	}
}

func TestWaitingForAnothersBuildEndsWithTheContext(t *testing.T) {
	lock := filepath.Join(t.TempDir(), "lock")
	held, release := make(chan struct{}), make(chan struct{})
	go func() {
		_ = withLock(context.Background(), lock, func() error { close(held); <-release; return nil })
	}()
	defer close(release)
	<-held
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	err := withLock(ctx, lock, func() error { t.Error("two hold the lock"); return nil })
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want a deadline", err)
	}
}

func TestABuildThatFailsTellsWhy(t *testing.T) {
	t.Setenv(CacheEnv, t.TempDir())
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "")
	_, err := BuildTool(t.Context(), "example.com/none", "v1.0.0", "example.com/none/cmd/tool")
	checkError(t, err, "build example.com/none/cmd/tool: exit status 1")
	checkError(t, err, "module lookup disabled")
}
