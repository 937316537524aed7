package cluster

import (
	"os"
	"path/filepath"
	"testing"
)

func TestProvidedAssets(t *testing.T) {
	all := append([]string{Etcd}, kubernetesBinaries...)
	for name, tc := range map[string]struct {
		files           []string
		says, want, err string
	}{
		"a complete folder of the minor is taken, whatever its patch": {
			files: all, says: "Kubernetes v1.37.0", want: "1.37.0"},
		"envtest's folder lacks the scheduler": {
			files: []string{Etcd, APIServer, ControllerManager, kubectl}, says: "Kubernetes v1.37.2",
			err: "find kube-scheduler in"},
		"another minor would test something else": {
			files: all, says: "Kubernetes v1.36.1", err: "is 1.36.1, want 1.37"},
		"a server without a version is unknown": {files: all, says: "v0.0.0-master", err: "read version"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, file := range tc.files {
				script := "#!/bin/sh\necho " + tc.says + "\n"
				if err := os.WriteFile(filepath.Join(dir, file), []byte(script), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			a, err := provided(t.Context(), dir, "1.37.2")
			checkError(t, err, tc.err)
			if a.Version != tc.want {
				t.Errorf("version %q, want %q", a.Version, tc.want)
			}
		})
	}
}

func TestLinkFollowsANewerTarget(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "kubernetes", "etcd")
	if err := os.Mkdir(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"v1", "v1", "v2"} { // new, unchanged, changed
		file := filepath.Join(dir, target)
		if err := os.WriteFile(file, []byte(target), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := link(t.Context(), file, name); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != target {
			t.Errorf("the link leads to %q (%v), want %q", got, err, target)
		}
	}
}
