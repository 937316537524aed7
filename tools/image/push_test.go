package main

import (
	"encoding/json"
	"io"
	"log"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

func TestTheImageIsPushedWithItsBills(t *testing.T) {
	for name, platforms := range map[string][]string{
		"of one platform":  {"linux/amd64"},
		"of two platforms": {"linux/amd64", "linux/arm64"},
	} {
		t.Run(name, func(t *testing.T) { checkPush(t, platforms) })
	}
}

// checkPush pushes to a registry in this process and pulls everything back.
func checkPush(t *testing.T, platforms []string) {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	o := hello()
	o.tag, o.push, o.platforms = strings.TrimPrefix(server.URL, "http://")+"/taojob/hello:v1", true, platforms
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
	if err := validate.Index(index); err != nil {
		t.Error(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	digest, err := index.Digest()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	digests := []v1.Hash{digest}
	for _, m := range manifest.Manifests {
		got, digests = append(got, m.Platform.String()), append(digests, m.Digest)
	}
	if diff := cmp.Diff(platforms, got); diff != "" {
		t.Error(diff)
	}
	for _, digest := range digests {
		checkBill(t, tag.Context(), digest)
	}
}

// checkBill pulls the bill of materials of what has this digest.
func checkBill(t *testing.T, repository name.Repository, digest v1.Hash) {
	t.Helper()
	image, err := remote.Image(repository.Tag("sha256-" + digest.Hex + ".sbom"))
	if err != nil {
		t.Fatal(err)
	}
	layers, err := image.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatalf("the bill has %d layers, want 1: %v", len(layers), err)
	}
	bill, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer bill.Close()
	var spdx struct {
		Version  string `json:"spdxVersion"`
		Packages []any  `json:"packages"`
		Creation struct {
			Creators []string `json:"creators"`
		} `json:"creationInfo"`
	}
	if err := json.NewDecoder(bill).Decode(&spdx); err != nil || spdx.Version != "SPDX-2.3" || len(spdx.Packages) == 0 {
		t.Errorf("the bill is SPDX %q with %d packages, %v", spdx.Version, len(spdx.Packages), err)
	}
	if maker := strings.Join(spdx.Creation.Creators, " "); !strings.HasPrefix(maker, "Tool: ko v0.") {
		t.Errorf("the bill's maker is %q, want ko at its own version", maker)
	}
}
