package cluster

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/taojob/taojob/e2e/internal/process"
)

// The tools the suites run beside a cluster, pinned like Kubernetes itself.
const (
	etcdVersion      = "v3.7.3"
	helmVersion      = "v3.22.0"
	kustomizeVersion = "v5.8.2" // v5.8.3 wants Go 1.27
	kwokVersion      = "v0.8.0"
	coreDNSVersion   = "v1.15.0"
)

// Helm returns the path of Helm 3, which it builds the first time. It is told
// the Kubernetes version of its client library, as its releases are: otherwise
// "helm template" judges charts as if for 1.20.
func Helm(ctx context.Context) (string, error) {
	const module = "helm.sh/helm/v3"
	return BuildTool(ctx, module, helmVersion, module+"/cmd/helm",
		module+"/internal/version.version="+helmVersion,
		module+"/pkg/chartutil.k8sVersionMajor=1", module+"/pkg/chartutil.k8sVersionMinor=37",
		module+"/pkg/lint/rules.k8sVersionMajor=1", module+"/pkg/lint/rules.k8sVersionMinor=37")
}

// Kustomize returns the path of Kustomize, which it builds the first time.
func Kustomize(ctx context.Context) (string, error) {
	const module = "sigs.k8s.io/kustomize/kustomize/v5"
	return BuildTool(ctx, module, kustomizeVersion, module,
		"sigs.k8s.io/kustomize/api/provenance.version="+kustomizeVersion)
}

// Kwok returns the path of kwok, which it builds the first time.
func Kwok(ctx context.Context) (string, error) {
	return BuildTool(ctx, "sigs.k8s.io/kwok", kwokVersion, "sigs.k8s.io/kwok/cmd/kwok",
		"sigs.k8s.io/kwok/pkg/consts.Version="+kwokVersion)
}

// CoreDNS returns the path of CoreDNS, which it builds the first time.
func CoreDNS(ctx context.Context) (string, error) {
	const module = "github.com/coredns/coredns"
	return BuildTool(ctx, module, coreDNSVersion, module)
}

// The etcd server's import path ends in neither "etcd" nor a version.
func etcd(ctx context.Context) (string, error) {
	const module = "go.etcd.io/etcd/server/v3"
	return tool{name: Etcd, module: module, version: etcdVersion, pkg: module}.path(ctx)
}

// BuildTool returns the path of a command built from a Go module. The first
// call builds it into the cache, where the version is part of the path; later
// ones only look it up. Each stamp, "pkg.variable=value", sets a string at
// link time: most commands don't know their own version otherwise.
func BuildTool(ctx context.Context, module, version, pkg string, stamps ...string) (string, error) {
	return tool{commandName(pkg), module, version, pkg, stamps}.path(ctx)
}

type tool struct {
	name, module, version, pkg string
	stamps                     []string
}

func (t tool) path(ctx context.Context) (string, error) {
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	target := filepath.Join(cache, "tools", t.name, t.version, t.name)
	return target, once(ctx, target, func(dir string) error {
		say("building %s %s (only the first time)", t.name, t.version)
		r, err := plainRecipe(t.module, t.version)
		if err != nil {
			return err
		}
		return r.build(ctx, dir, target, t.pkg, t.stamps)
	})
}

var majorVersion = regexp.MustCompile(`^v\d+$`)

// commandName is the name go build gives a command: the last element of its
// path that isn't a major version.
func commandName(pkg string) string {
	if base := path.Base(pkg); !majorVersion.MatchString(base) {
		return base
	}
	return path.Base(path.Dir(pkg))
}

// once makes a file unless it is there: under a lock, and in a temporary
// folder, since whoever finds the file takes it for complete.
func once(ctx context.Context, target string, build func(dir string) error) error {
	if isExecutable(target) {
		return nil
	}
	return withLock(ctx, target+".lock", func() error {
		if isExecutable(target) { // built while we waited
			return nil
		}
		dir, err := os.MkdirTemp("", "taojob-build-")
		if err != nil {
			return fmt.Errorf("make build folder: %w", err)
		}
		defer os.RemoveAll(dir)
		return build(dir)
	})
}

// build compiles one command in dir and moves it to target.
func (r recipe) build(ctx context.Context, dir, target, pkg string, stamps []string) error {
	start := time.Now()
	if err := r.write(dir); err != nil {
		return err
	}
	// Beside the target, because a rename is atomic only within a file system.
	partial := target + ".partial"
	args := []string{"build", "-mod=mod", "-buildvcs=false", "-o", partial, "-ldflags", ldflags(stamps)}
	if r.tags != "" {
		args = append(args, "-tags", r.tags)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, pkg)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // go then stops its compilers
	cmd.WaitDelay = 10 * time.Second
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, process.Tail(out.Bytes(), 20))
	}
	if err := os.Rename(partial, target); err != nil {
		return fmt.Errorf("keep %s: %w", pkg, err)
	}
	say("built %s in %s", filepath.Base(target), time.Since(start).Round(time.Second))
	return nil
}

// ldflags drop the debugging tables, a third of the size, and set the stamps.
func ldflags(stamps []string) string {
	flags := []string{"-s", "-w"}
	for _, s := range stamps {
		flags = append(flags, "-X", s)
	}
	return strings.Join(flags, " ")
}

// say reports progress to the person who waits for a build.
func say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "cluster: "+format+"\n", args...)
}
