package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// AssetsEnv names the variable that points to ready-made binaries, as it does
// for controller-runtime's envtest.
const AssetsEnv = "KUBEBUILDER_ASSETS"

// The control plane's components, by the names of their binaries.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
	Scheduler         = "kube-scheduler"
)

// The components of a real node, which only clusters that run pods need.
const (
	Kubelet   = "kubelet"
	KubeProxy = "kube-proxy"
)

const kubectl = "kubectl"

// kubernetesBinaries are built from the Kubernetes module; the dear one first,
// since the others then find most of their packages compiled.
var kubernetesBinaries = []string{APIServer, ControllerManager, Scheduler, kubectl}

// firstBuild is what a cold build on two cores took, for those who wait.
var firstBuild = map[string]string{
	APIServer: "about 8 minutes", ControllerManager: "about 4 minutes",
	Scheduler: "less than a minute", kubectl: "about a minute",
	Kubelet: "about 3 minutes", KubeProxy: "less than a minute",
}

// Assets is a folder with etcd and one version's control plane and kubectl.
type Assets struct {
	Dir     string
	Version string // exact, such as 1.37.2
}

// Path is where the folder has a binary.
func (a Assets) Path(binary string) string { return filepath.Join(a.Dir, binary) }

// Kubectl is the path of the kubectl of the same version.
func (a Assets) Kubectl() string { return a.Path(kubectl) }

// Binaries returns the binaries of a version: those of $KUBEBUILDER_ASSETS if
// they are complete and of that minor version, else the cached ones, which it
// builds first where they are missing. A version is what Resolve accepts.
func Binaries(ctx context.Context, version string) (Assets, error) {
	exact, err := Resolve(version)
	if err != nil {
		return Assets{}, err
	}
	if dir := os.Getenv(AssetsEnv); dir != "" {
		a, err := provided(ctx, dir, exact)
		if err == nil {
			return a, nil
		}
		say("not using %s: %v", AssetsEnv, err)
	}
	return built(ctx, exact)
}

// Build makes further binaries of the same version, such as Kubelet, unless
// they are there.
func (a Assets) Build(ctx context.Context, names ...string) error {
	for _, name := range names {
		if err := buildKubernetes(ctx, a, name); err != nil {
			return err
		}
	}
	return nil
}

// provided looks at a folder that somebody else filled. Its patch version may
// differ from ours: whoever fills it chooses.
func provided(ctx context.Context, dir, want string) (Assets, error) {
	dir, err := filepath.Abs(dir) // components run in a folder of their own
	if err != nil {
		return Assets{}, err
	}
	a := Assets{Dir: dir}
	for _, name := range append([]string{Etcd}, kubernetesBinaries...) {
		if !isExecutable(a.Path(name)) {
			return a, fmt.Errorf("find %s in %s: no such executable", name, dir)
		}
	}
	out, err := exec.CommandContext(ctx, a.Path(APIServer), "--version").Output()
	if err != nil {
		return a, fmt.Errorf("ask %s for its version: %w", a.Path(APIServer), err)
	}
	text := strings.TrimSpace(string(out))
	got, err := Resolve(strings.TrimPrefix(text, "Kubernetes "))
	if err != nil {
		return a, fmt.Errorf("read version %q of %s", text, a.Path(APIServer))
	}
	if minor(got) != minor(want) {
		return a, fmt.Errorf("compare versions: %s is %s, want 1.%d", a.Path(APIServer), got, minor(want))
	}
	a.Version = got
	return a, nil
}

// built completes the cached folder of an exact version.
func built(ctx context.Context, version string) (Assets, error) {
	cache, err := cacheDir()
	if err != nil {
		return Assets{}, err
	}
	a := Assets{Dir: filepath.Join(cache, "kubernetes", version), Version: version}
	if err := a.Build(ctx, kubernetesBinaries...); err != nil {
		return Assets{}, err
	}
	tool, err := etcd(ctx)
	if err != nil {
		return Assets{}, err
	}
	return a, link(ctx, tool, a.Path(Etcd))
}

func buildKubernetes(ctx context.Context, a Assets, name string) error {
	target := a.Path(name)
	return once(ctx, target, func(dir string) error {
		say("building %s %s: %s the first time", name, a.Version, firstBuild[name])
		upstream, err := upstreamGoMod(ctx, dir, kubernetesModule, "v"+a.Version)
		if err != nil {
			return err
		}
		r, err := kubernetesRecipe(a.Version, upstream)
		if err != nil {
			return err
		}
		return r.build(ctx, dir, target, kubernetesModule+"/cmd/"+name, versionStamps(a.Version))
	})
}

// versionStamps make the binaries tell their version, which is v0.0.0 in an
// unstamped build. The second package is that of clients, and in 1.27 of what
// the API server answers.
func versionStamps(version string) []string {
	parts := strings.Split(version, ".")
	var stamps []string
	for _, pkg := range []string{"k8s.io/component-base/version.", "k8s.io/client-go/pkg/version."} {
		stamps = append(stamps,
			pkg+"gitVersion=v"+version, pkg+"gitMajor="+parts[0], pkg+"gitMinor="+parts[1],
			pkg+"gitTreeState=clean", pkg+"gitCommit=")
	}
	return stamps
}

// link makes name a relative symbolic link to target, so that a moved cache
// stays whole, and so that a folder follows us to a newer etcd. A complete
// cache is only read, since it may be somebody else's.
func link(ctx context.Context, target, name string) error {
	rel, err := filepath.Rel(filepath.Dir(name), target)
	if err != nil {
		return fmt.Errorf("link %s: %w", name, err)
	}
	if got, err := os.Readlink(name); err == nil && got == rel {
		return nil
	}
	return withLock(ctx, name+".lock", func() error {
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("link %s: %w", name, err)
		}
		return os.Symlink(rel, name)
	})
}
