package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

const (
	kubernetesModule = "k8s.io/kubernetes"
	// legacyClouds can't be verified by the checksum database. An empty module
	// takes its place: the providerless tag leaves out all that imports it.
	legacyClouds    = "k8s.io/legacy-cloud-providers"
	legacyCloudsDir = "./legacy-cloud-providers"
)

// recipe is a generated main module: what go build needs to know to make
// commands of another module. A go install of that module's command is
// simpler, but refused as soon as its go.mod replaces anything, which those of
// Kubernetes and etcd do.
type recipe struct {
	gomod []byte
	tags  string
	stubs map[string][]byte // further files, by path
}

// plainRecipe requires a module as it is.
func plainRecipe(path, version string) (recipe, error) {
	f := newModule()
	err := firstOf(module.Check(path, version), f.AddRequire(path, version))
	if err != nil {
		return recipe{}, fmt.Errorf("require %s %s: %w", path, version, err)
	}
	return format(f, recipe{})
}

// kubernetesRecipe requires Kubernetes at a version, given the go.mod of that
// release. Its libraries are replaced there by folders that the module doesn't
// carry; here by their published versions.
func kubernetesRecipe(version string, upstream []byte) (recipe, error) {
	up, err := modfile.Parse("go.mod", upstream, nil)
	if err != nil {
		return recipe{}, fmt.Errorf("parse go.mod of Kubernetes %s: %w", version, err)
	}
	f, r := newModule(), recipe{stubs: map[string][]byte{}}
	if err := f.AddRequire(kubernetesModule, "v"+version); err != nil {
		return recipe{}, fmt.Errorf("require Kubernetes %s: %w", version, err)
	}
	for _, rep := range up.Replace {
		path, at := rep.New.Path, rep.New.Version
		switch {
		case rep.Old.Path == legacyClouds:
			path, r.tags = legacyCloudsDir, "providerless"
			r.stubs[filepath.Join(legacyCloudsDir, "go.mod")] = []byte("module " + legacyClouds + "\n")
		case strings.HasPrefix(path, "./staging/"):
			path, at = rep.Old.Path, staging(version)
		}
		if err := f.AddReplace(rep.Old.Path, rep.Old.Version, path, at); err != nil {
			return recipe{}, fmt.Errorf("replace %s: %w", rep.Old.Path, err)
		}
	}
	return format(f, r)
}

func newModule() *modfile.File {
	f := new(modfile.File)
	// Neither can fail: both values are well-formed constants.
	_ = f.AddModuleStmt("taojob.invalid/build")
	_ = f.AddGoStmt("1.26")
	return f
}

func format(f *modfile.File, r recipe) (recipe, error) {
	b, err := f.Format()
	if err != nil {
		return recipe{}, fmt.Errorf("format go.mod: %w", err)
	}
	r.gomod = b
	return r, nil
}

// write puts the module into an empty folder.
func (r recipe) write(dir string) error {
	files := map[string][]byte{"go.mod": r.gomod}
	for name, content := range r.stubs {
		files[name] = content
	}
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("write build module: %w", err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return fmt.Errorf("write build module: %w", err)
		}
	}
	return nil
}

// Module returns the folder of a module's source, which it downloads the first
// time: for what a module carries beside Go, such as the definitions of custom
// resources.
func Module(ctx context.Context, module, version string) (string, error) {
	got, err := download(ctx, os.TempDir(), module, version)
	return got.Dir, err
}

// upstreamGoMod fetches the go.mod of a module.
func upstreamGoMod(ctx context.Context, dir, module, version string) ([]byte, error) {
	got, err := download(ctx, dir, module, version)
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(got.GoMod)
	if err != nil {
		return nil, fmt.Errorf("read go.mod of %s@%s: %w", module, version, err)
	}
	return b, nil
}

// downloaded is what the go command says of a module.
type downloaded struct{ Dir, GoMod, Error string }

// download fetches a module through the go command, and so through the proxy
// and the checksum database that the user has configured. The command runs in
// dir, which belongs to no module.
func download(ctx context.Context, dir, module, version string) (got downloaded, err error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", module+"@"+version)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	out, runErr := cmd.Output()
	if err := json.Unmarshal(out, &got); err != nil {
		return got, fmt.Errorf("download %s@%s: %w", module, version, firstOf(runErr, err))
	}
	if got.Error != "" {
		return got, fmt.Errorf("download %s@%s: %s", module, version, got.Error)
	}
	return got, nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
