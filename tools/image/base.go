package main

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/ko/pkg/build"
	"github.com/sigstore/cosign/v3/pkg/oci"
	ocimutate "github.com/sigstore/cosign/v3/pkg/oci/mutate"
)

// user is the one that Kubernetes projects run as by custom.
const user = "65532:65532"

// file is one of the base image; a name that ends in a slash is a folder.
type file struct {
	name, content string
	mode          int64
}

// system is what a static Go program needs of one: an account, and a place to
// write where the root isn't read-only. Authorities are not among it: the
// webhook trusts the cluster's, which every pod is given.
var system = []file{
	{"etc/", "", 0o755},
	{"etc/group", "root:x:0:\nnonroot:x:65532:\n", 0o644},
	{"etc/passwd", "root:x:0:0:root:/:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/:/sbin/nologin\n", 0o644},
	{"tmp/", "", 0o1777},
}

// bases makes the image that a program is put into: nothing but the system.
func bases(platforms []string, made time.Time) build.GetBase {
	return func(context.Context, string) (name.Reference, build.Result, error) {
		index, err := base(platforms, made)
		// Only the name of what it isn't based on is asked for.
		return name.MustParseReference("scratch"), index, err
	}
}

// base makes the image of each platform, of the time that the commit was made.
func base(platforms []string, made time.Time) (v1.ImageIndex, error) {
	layer, err := pack(system)
	if err != nil {
		return nil, err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, text := range platforms {
		platform, err := v1.ParsePlatform(text)
		if err != nil {
			return nil, err
		}
		if platform.Architecture == "amd64" && platform.Variant != "" {
			return nil, fmt.Errorf("read platform %s: want linux/amd64, which runs everywhere", text)
		}
		image, err := mutate.ConfigFile(mutate.MediaType(empty.Image, types.OCIManifestSchema1), &v1.ConfigFile{
			OS: platform.OS, Architecture: platform.Architecture, Variant: platform.Variant, RootFS: v1.RootFS{Type: "layers"},
		})
		if err != nil {
			return nil, err
		}
		image, err = mutate.Append(mutate.ConfigMediaType(image, types.OCIConfigJSON), mutate.Addendum{
			Layer: layer, History: v1.History{Created: v1.Time{Time: made}, CreatedBy: "tools/image", Comment: "accounts, and a place to write"},
		})
		if err != nil {
			return nil, err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: platform}})
	}
	return index, nil
}

// pack makes a layer of files, all owned by root and without a time of their own.
func pack(files []file) (v1.Layer, error) {
	var out bytes.Buffer
	t := tar.NewWriter(&out)
	for _, f := range files {
		kind := byte(tar.TypeReg)
		if strings.HasSuffix(f.name, "/") {
			kind = tar.TypeDir
		}
		if err := t.WriteHeader(&tar.Header{Typeflag: kind, Name: f.name, Mode: f.mode, Size: int64(len(f.content))}); err != nil {
			return nil, err
		}
		if _, err := io.WriteString(t, f.content); err != nil {
			return nil, err
		}
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(out.Bytes())), nil
	}, tarball.WithMediaType(types.OCILayer))
}

// indexOf is an index of one image, so that readers meet the same shape for
// any number of platforms. The image's own bill of materials says it all.
func indexOf(image oci.SignedImage) (oci.SignedImageIndex, error) {
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	index := ocimutate.AppendManifests(mutate.IndexMediaType(empty.Index, types.OCIImageIndex), ocimutate.IndexAddendum{
		Add: image, Descriptor: v1.Descriptor{Platform: config.Platform()},
	})
	bill, err := image.Attachment("sbom")
	if err != nil {
		return nil, err
	}
	return ocimutate.AttachFileToImageIndex(index, "sbom", bill)
}
