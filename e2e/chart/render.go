// Package chart renders and tests the Helm chart, which is the one source of
// the manifests: the Kustomize bases in config/ are made from it.
package chart

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/taojob/taojob/e2e/cluster"
)

// Namespace is where an installation lives by default.
const Namespace = "taojob-system"

// folder of the chart in the checkout.
const folder = "charts/taojob"

// bases says into which base a template's objects go, where it isn't the one
// of the webhook itself.
var bases = map[string]string{"certificates.yaml": "certs"}

// helmOnly are lines that only make sense to Helm.
var helmOnly = regexp.MustCompile(`(?m)^(# Source: .*|[ ]+helm\.sh/chart: .*|[ ]+app\.kubernetes\.io/managed-by: Helm)\n`)

// Bases renders the chart with its default values, as files of config/: path
// relative to it, and content.
func Bases(ctx context.Context, root string) (map[string]string, error) {
	helm, err := cluster.Helm(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "taojob-chart-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // its content is in memory
	cmd := exec.CommandContext(ctx, helm, "template", "taojob", filepath.Join(root, folder), "--namespace", Namespace, "--output-dir", dir)
	cmd.Env = append(os.Environ(), "HOME="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("render the chart: %w: %s", err, out)
	}
	rendered, err := filepath.Glob(filepath.Join(dir, "taojob", "templates", "*.yaml"))
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, path := range rendered {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		name := filepath.Base(path)
		base, ok := bases[name]
		if !ok {
			base = "webhook"
		}
		files[filepath.Join(base, name)] = plain(name, string(content))
	}
	for _, base := range []string{"certs", "webhook"} {
		files[filepath.Join(base, "kustomization.yaml")] = kustomization(base, files)
	}
	return files, nil
}

func plain(name, content string) string {
	content = helmOnly.ReplaceAllString(content, "")
	content = strings.TrimPrefix(strings.TrimLeft(content, "\n"), "---\n")
	return "# Made from " + folder + "/templates/" + name + ": run make manifests after a change there.\n" + content
}

// kustomization lists the files of a base.
func kustomization(base string, files map[string]string) string {
	var b strings.Builder
	b.WriteString("# Made by make manifests.\napiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n")
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if filepath.Dir(path) == base {
			b.WriteString("- " + filepath.Base(path) + "\n")
		}
	}
	return b.String()
}
