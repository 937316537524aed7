package main

import (
	"archive/tar"
	"bytes"
	"context"
	"io"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/ko/pkg/build"
)

// accounts names the user that everything runs as. A static Go program needs
// nothing else of a system, not even authorities: the webhook trusts the
// cluster's, which every pod is given.
const accounts = "root:x:0:0:root:/:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/:/sbin/nologin\n"

// user is the one that Kubernetes projects run as by custom.
const user = "65532:65532"

// bases makes the image that a program is put into: nothing but accounts.
func bases(platforms []string) build.GetBase {
	return func(context.Context, string) (name.Reference, build.Result, error) {
		index, err := base(platforms)
		// Only the name of what it isn't based on is asked for.
		return name.MustParseReference("scratch"), index, err
	}
}

func base(platforms []string) (v1.ImageIndex, error) {
	layer, err := passwd()
	if err != nil {
		return nil, err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, text := range platforms {
		platform, err := v1.ParsePlatform(text)
		if err != nil {
			return nil, err
		}
		image, err := mutate.ConfigFile(mutate.MediaType(empty.Image, types.OCIManifestSchema1), &v1.ConfigFile{
			OS: platform.OS, Architecture: platform.Architecture, Variant: platform.Variant, RootFS: v1.RootFS{Type: "layers"},
		})
		if err != nil {
			return nil, err
		}
		if image, err = mutate.AppendLayers(mutate.ConfigMediaType(image, types.OCIConfigJSON), layer); err != nil {
			return nil, err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: platform}})
	}
	return index, nil
}

// passwd is a layer with /etc/passwd, without a time of its own.
func passwd() (v1.Layer, error) {
	var out bytes.Buffer
	t := tar.NewWriter(&out)
	if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: "etc/", Mode: 0o755}); err != nil {
		return nil, err
	}
	if err := t.WriteHeader(&tar.Header{Name: "etc/passwd", Mode: 0o644, Size: int64(len(accounts))}); err != nil {
		return nil, err
	}
	if _, err := io.WriteString(t, accounts); err != nil {
		return nil, err
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(out.Bytes())), nil
	}, tarball.WithMediaType(types.OCILayer))
}

// indexOf is an index of one image, which tells its platform by itself.
func indexOf(image v1.Image) v1.ImageIndex {
	return mutate.AppendManifests(mutate.IndexMediaType(empty.Index, types.OCIImageIndex), mutate.IndexAddendum{Add: image})
}
