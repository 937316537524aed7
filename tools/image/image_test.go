package main

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
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

// copied is a checkout of the small program in a folder of its own, without git.
func copied(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(filepath.Join(root, "cmd/hello"), os.DirFS("testdata/hello")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module example.com/hello\n\ngo 1.26.0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestTheImageIsTheSameInEveryFolderAndForEveryBuilder(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	var digests []v1.Hash
	for _, env := range []map[string]string{
		{"GOFLAGS": "", "GOAMD64": "v1", "TZ": "UTC"},
		{"GOFLAGS": "-tags=other", "GOAMD64": "v3", "TZ": "Asia/Tokyo"},
	} {
		for key, value := range env {
			t.Setenv(key, value)
		}
		o := hello()
		o.root, o.main = copied(t), "./cmd/hello"
		o.platforms = []string{"linux/amd64", "linux/arm64"}
		index, err := o.build(t.Context())
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

func TestWhatTheImageSaysOfItself(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	index, err := hello().build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	image := only(t, index)
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := image.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	head, err := exec.CommandContext(t.Context(), "git", "rev-parse", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	type view struct {
		OS, Architecture, User, Entrypoint string
		Created                            int64
		Labels                             map[string]string
	}
	got := view{
		config.OS, config.Architecture, config.Config.User, strings.Join(config.Config.Entrypoint, " "),
		config.Created.Unix(), config.Config.Labels,
	}
	want := view{"linux", runtime.GOARCH, "65532:65532", "/ko-app/hello", 1700000000, map[string]string{
		"org.opencontainers.image.created":  "2023-11-14T22:13:20Z",
		"org.opencontainers.image.licenses": "Apache-2.0",
		"org.opencontainers.image.revision": strings.TrimSpace(string(head)),
		"org.opencontainers.image.source":   "https://github.com/taojob/taojob",
		"org.opencontainers.image.title":    "hello",
		"org.opencontainers.image.version":  "v1",
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for key, value := range want.Labels {
		if manifest.Annotations[key] != value {
			t.Errorf("the manifest says %s: %q, the configuration %q", key, manifest.Annotations[key], value)
		}
	}
}

// inside is every file of an image: its mode, and its content.
func inside(t *testing.T, image v1.Image) (modes map[string]string, content map[string]string) {
	t.Helper()
	modes, content = map[string]string{}, map[string]string{}
	flat := mutate.Extract(image)
	defer flat.Close()
	for r := tar.NewReader(flat); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return modes, content
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		path := strings.TrimPrefix(header.Name, "/")
		modes[path], content[path] = header.FileInfo().Mode().String(), string(text)
	}
}

func TestTheImageHoldsTheProgramAndWhatItNeeds(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	index, err := hello().build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	modes, content := inside(t, only(t, index))
	want := map[string]string{
		"etc": "drwxr-xr-x", "etc/group": "-rw-r--r--", "etc/passwd": "-rw-r--r--",
		"tmp":    "dtrwxrwxrwx",
		"ko-app": "dr-xr-xr-x", "ko-app/hello": "-r-xr-xr-x",
		"var": "dr-xr-xr-x", "var/run": "dr-xr-xr-x", "var/run/ko": "dr-xr-xr-x", // ko's, and empty
	}
	if diff := cmp.Diff(want, modes); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(content["etc/passwd"], "\nnonroot:x:65532:65532:") || !strings.Contains(content["etc/group"], "\nnonroot:x:65532:") {
		t.Errorf("the accounts are %q and the groups %q", content["etc/passwd"], content["etc/group"])
	}
	program := filepath.Join(t.TempDir(), "hello")
	if err := os.WriteFile(program, []byte(content["ko-app/hello"]), 0o700); err != nil { //nolint:gosec // it is to run
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), program).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "v1") {
		t.Errorf("the program says %q, %v, want its version", out, err)
	}
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
		"a newer processor only":      {func(o *options) { o.platforms = []string{"linux/amd64/v3"} }, "linux/amd64/v3"},
		"a folder without a commit":   {func(o *options) { o.root = "/" }, "SOURCE_DATE_EPOCH"},
	} {
		t.Run(reason, func(t *testing.T) {
			t.Setenv("SOURCE_DATE_EPOCH", "")
			o := hello()
			o.output = filepath.Join(t.TempDir(), "image.tar")
			tc.change(o)
			if err := o.run(t.Context()); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("the error is %v, want one about %s", err, tc.want)
			}
		})
	}
}
