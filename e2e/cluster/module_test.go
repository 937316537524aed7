package cluster

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKubernetesRecipe(t *testing.T) {
	const head = "module taojob.invalid/build\n\ngo 1.26\n\n"
	for name, tc := range map[string]struct {
		version, upstream, want, tags, err string
		stubs                              []string
	}{
		"staged libraries get their published version": {
			version: "1.37.2",
			upstream: `module k8s.io/kubernetes
require k8s.io/api v0.0.0
replace k8s.io/api => ./staging/src/k8s.io/api`,
			want: head + "require k8s.io/kubernetes v1.37.2\n\nreplace k8s.io/api => k8s.io/api v0.37.2\n",
		},
		"the unverifiable cloud providers become an empty module": {
			version: "1.27.16",
			upstream: `module k8s.io/kubernetes
replace k8s.io/legacy-cloud-providers => ./staging/src/k8s.io/legacy-cloud-providers`,
			want: head + "require k8s.io/kubernetes v1.27.16\n\n" +
				"replace k8s.io/legacy-cloud-providers => ./legacy-cloud-providers\n",
			tags:  "providerless",
			stubs: []string{"legacy-cloud-providers/go.mod"},
		},
		"a fork that Kubernetes chose stays": {
			version: "1.34.4",
			upstream: `module k8s.io/kubernetes
replace example.com/a v1.0.0 => example.com/fork v1.0.1`,
			want: head + "require k8s.io/kubernetes v1.34.4\n\nreplace example.com/a v1.0.0 => example.com/fork v1.0.1\n",
		},
		"a broken go.mod is told": {version: "1.34.4", upstream: "replace =>", err: "parse go.mod of Kubernetes 1.34.4"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := kubernetesRecipe(tc.version, []byte(tc.upstream))
			checkError(t, err, tc.err)
			if diff := cmp.Diff(tc.want, string(r.gomod)); diff != "" {
				t.Error(diff)
			}
			if r.tags != tc.tags {
				t.Errorf("tags %q, want %q", r.tags, tc.tags)
			}
			dir := t.TempDir()
			if err := r.write(dir); err != nil {
				t.Fatal(err)
			}
			for _, file := range append(tc.stubs, "go.mod") {
				if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestPlainRecipe(t *testing.T) {
	r, err := plainRecipe("example.com/tool/v2", "v2.1.0")
	if err != nil {
		t.Fatal(err)
	}
	want := "module taojob.invalid/build\n\ngo 1.26\n\nrequire example.com/tool/v2 v2.1.0\n"
	if diff := cmp.Diff(want, string(r.gomod)); diff != "" {
		t.Error(diff)
	}
	// A mistyped version should be told before anything is downloaded.
	_, err = plainRecipe("example.com/tool/v2", "2.1.0")
	checkError(t, err, "require example.com/tool/v2 2.1.0")
}
