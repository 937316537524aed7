package chart

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestPermissions compares what the service account may do, as the API server
// tells it, with the documented list.
func TestPermissions(t *testing.T) {
	for _, mode := range []string{"cert-manager", "self"} {
		t.Run(mode, func(t *testing.T) {
			must(t, "", helm, "install", "taojob", filepath.Join(root, folder), "-n", Namespace, "--set", "certs.mode="+mode)
			t.Cleanup(func() {
				if _, err := command(context.Background(), "", helm, "uninstall", "taojob", "-n", Namespace, "--wait"); err != nil {
					t.Error(err)
				}
			})
			for _, namespace := range []string{Namespace, metav1.NamespaceDefault} {
				anybody := allowed(t, namespace, "default")
				own := slices.DeleteFunc(allowed(t, namespace, "taojob-webhook"), func(line string) bool { return slices.Contains(anybody, line) })
				if diff := cmp.Diff(documented(t, mode, namespace), own); diff != "" {
					t.Errorf("permissions in %s (-documented +granted):\n%s", namespace, diff)
				}
			}
		})
	}
}

// allowed lists what an account of the installation may do in a namespace:
// resource, names, verbs.
func allowed(t *testing.T, namespace, account string) []string {
	t.Helper()
	out := must(t, "", plane.Assets.Kubectl(), "auth", "can-i", "--list", "--no-headers", "-n", namespace,
		"--as=system:serviceaccount:"+Namespace+":"+account,
		"--as-group=system:serviceaccounts", "--as-group=system:authenticated")
	var lines []string
	for line := range strings.Lines(out) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	slices.Sort(lines)
	return lines
}

// documented are the lines of the page's table that hold in a mode and namespace.
func documented(t *testing.T, mode, namespace string) []string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs", "permissions.md"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) != 9 {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		here := cells[2] == "cluster" || cells[2] == "own namespace" && namespace == Namespace
		if here && (cells[1] == "any" || cells[1] == mode) {
			lines = append(lines, fmt.Sprintf("%s [] [%s] [%s]", resource(cells[3], cells[4]), cells[5], strings.ReplaceAll(cells[6], ", ", " ")))
		}
	}
	slices.Sort(lines)
	return lines
}

// resource names a resource of an API group as kubectl does.
func resource(group, name string) string {
	if group == "" {
		return name
	}
	if name, sub, ok := strings.Cut(name, "/"); ok {
		return name + "." + group + "/" + sub
	}
	return name + "." + group
}
