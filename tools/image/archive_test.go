package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

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
	old, err := tarball.ImageFromPath(o.output, nil) // what docker load does
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Image(old); err != nil {
		t.Errorf("read the archive as docker load does: %v", err)
	}
	bill, err := os.ReadFile(filepath.Join(dir, "hello-linux-"+runtime.GOARCH+".spdx.json"))
	if err != nil || !strings.Contains(string(bill), "SPDX-2.3") {
		t.Errorf("read the bill of materials: %.80s, %v", bill, err)
	}
}
