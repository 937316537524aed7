package main

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// hello describes the image of a small program for this machine.
func hello() *options {
	return &options{
		root: ".", main: "./testdata/hello", tag: "taojob/hello:v1", version: "v1",
		platforms: []string{"linux/" + runtime.GOARCH},
	}
}

// only is the one image of an index.
func only(t *testing.T, index v1.ImageIndex) v1.Image {
	t.Helper()
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if len(manifest.Manifests) != 1 {
		t.Fatalf("the index has %d images, want 1", len(manifest.Manifests))
	}
	image, err := index.Image(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	return image
}

func TestTheImageIsTheSameEachTime(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	var digests []v1.Hash
	for range 2 {
		index, err := hello().build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		digest, err := index.Digest()
		if err != nil {
			t.Fatal(err)
		}
		digests = append(digests, digest)
	}
	if digests[0] != digests[1] {
		t.Errorf("two builds make %s and %s", digests[0], digests[1])
	}
}

func TestTheImageRunsAsNobody(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	index, err := hello().build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	config, err := only(t, index).ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	type view struct {
		OS, Architecture, User, Entrypoint, Version string
		Created                                     int64
	}
	got := view{
		config.OS, config.Architecture, config.Config.User, strings.Join(config.Config.Entrypoint, " "),
		config.Config.Labels["org.opencontainers.image.version"], config.Created.Unix(),
	}
	want := view{"linux", runtime.GOARCH, "65532:65532", "/ko-app/hello", "v1", 1700000000}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTheArchiveIsALayoutWithBills(t *testing.T) {
	o := hello()
	dir := t.TempDir()
	o.output, o.sbom = filepath.Join(dir, "image.tar"), dir
	if err := o.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	unpacked := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "tar", "-xf", o.output, "-C", unpacked).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	index, err := layout.ImageIndexFromPath(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if got := manifest.Manifests[0].Annotations["io.containerd.image.name"]; got != "docker.io/taojob/hello:v1" {
		t.Errorf("the archive names its image %q", got)
	}
	bill, err := os.ReadFile(filepath.Join(dir, "hello-linux-"+runtime.GOARCH+".spdx.json"))
	if err != nil || !strings.Contains(string(bill), "SPDX-2.3") {
		t.Errorf("read the bill of materials: %.80s, %v", bill, err)
	}
}

func TestTheImageIsPushed(t *testing.T) {
	server := httptest.NewServer(registry.New())
	defer server.Close()
	o := hello()
	o.tag, o.push = strings.TrimPrefix(server.URL, "http://")+"/taojob/hello:v1", true
	if err := o.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	tag, err := name.NewTag(o.tag)
	if err != nil {
		t.Fatal(err)
	}
	index, err := remote.Index(tag)
	if err != nil {
		t.Fatal(err)
	}
	only(t, index)
}

func TestWrongOptionsAreRefused(t *testing.T) {
	for reason, tc := range map[string]struct {
		change func(*options)
		want   string
	}{
		"a name without a tag":        {func(o *options) { o.tag = "taojob/hello" }, "--tag"},
		"no name at all":              {func(o *options) { o.tag = "" }, "--tag"},
		"nowhere to put it":           {func(o *options) { o.output = "" }, "--output or --push"},
		"a program that is not there": {func(o *options) { o.main = "./testdata/absent" }, "absent"},
		"a platform that is none":     {func(o *options) { o.platforms = []string{"linux/z80"} }, "testdata/hello"},
	} {
		t.Run(reason, func(t *testing.T) {
			o := hello()
			o.output = filepath.Join(t.TempDir(), "image.tar")
			tc.change(o)
			if err := o.run(t.Context()); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("the error is %v, want one about %s", err, tc.want)
			}
		})
	}
}
