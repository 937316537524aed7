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
			anybody := allowed(t, "default")
			var own []string
			for _, line := range allowed(t, "taojob-webhook") {
				if !slices.Contains(anybody, line) {
					own = append(own, line)
				}
			}
			if diff := cmp.Diff(documented(t, mode), own); diff != "" {
				t.Errorf("permissions (-documented +granted):\n%s", diff)
			}
		})
	}
}

// allowed lists what an account may do: resource, names, verbs.
func allowed(t *testing.T, account string) []string {
	t.Helper()
	out := must(t, "", plane.Assets.Kubectl(), "auth", "can-i", "--list", "--no-headers", "-n", Namespace,
		"--as=system:serviceaccount:"+Namespace+":"+account,
		"--as-group=system:serviceaccounts", "--as-group=system:authenticated")
	var lines []string
	for line := range strings.Lines(out) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	slices.Sort(lines)
	return lines
}

// documented are the lines of the page's table that hold in a mode.
func documented(t *testing.T, mode string) []string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs", "permissions.md"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) != 8 {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if cells[1] != "cluster" && cells[1] != mode {
			continue
		}
		lines = append(lines, fmt.Sprintf("%s [] [%s] [%s]", resource(cells[2], cells[3]), cells[4], strings.ReplaceAll(cells[5], ", ", " ")))
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
