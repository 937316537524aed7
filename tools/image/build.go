package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"path/filepath"
	"runtime/debug"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/ko/pkg/build"
	"github.com/sigstore/cosign/v3/pkg/oci"
)

// goFlags, ldFlags and goEnv are how programs are built, in the Dockerfile too:
// nothing of the machine, the folder or the builder's settings gets in, and
// each program runs on the oldest processor of its platform.
var (
	goFlags = []string{"-trimpath", "-buildvcs=false"}
	ldFlags = []string{"-s", "-w", "-X main.version="} // the version follows
	goEnv   = []string{"CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOAMD64=v1", "GOARM64=v8.0"}
)

// build makes the image of all platforms, each with its bill of materials.
func (o *options) build(ctx context.Context) (oci.SignedImageIndex, error) {
	root, err := filepath.Abs(o.root)
	if err != nil {
		return nil, err
	}
	from, err := originOf(ctx, root)
	if err != nil {
		return nil, err
	}
	log.SetOutput(io.Discard) // ko's: each untracked file, among others
	builder, err := build.NewGo(ctx, root, o.buildOptions(from)...)
	if err != nil {
		return nil, fmt.Errorf("set up the build: %w", err)
	}
	path, err := builder.QualifyImport(o.main)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", o.main, err)
	}
	result, err := builder.Build(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("build %s: %w", o.main, err)
	}
	switch r := result.(type) {
	case oci.SignedImageIndex:
		return r, nil
	case oci.SignedImage: // ko's answer for a single platform
		return indexOf(r)
	default:
		return nil, fmt.Errorf("build %s: got %T, want an image", o.main, result)
	}
}

// buildOptions tell ko what to build. Labels are for engines; annotations say
// the same to registries.
func (o *options) buildOptions(from origin) []build.Option {
	ld := append([]string{}, ldFlags...)
	ld[len(ld)-1] += o.version
	opts := []build.Option{
		build.WithBaseImages(bases(o.platforms, from.made)),
		build.WithPlatforms(o.platforms...),
		build.WithDefaultFlags(goFlags),
		build.WithDefaultLdflags(ld),
		build.WithDefaultEnv(goEnv),
		build.WithCreationTime(v1.Time{Time: from.made}),
		build.WithKoDataCreationTime(v1.Time{Time: from.made}),
		build.WithUser(user),
		build.WithSPDX(koVersion()),
	}
	for key, value := range o.labels(from) {
		opts = append(opts, build.WithLabel(key, value), build.WithAnnotation(key, value))
	}
	if o.sbom != "" {
		opts = append(opts, build.WithSBOMDir(o.sbom))
	}
	return opts
}

// koVersion is the release of ko that is built in: bills name their maker.
func koVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "github.com/google/ko" {
				return m.Version
			}
		}
	}
	return "unknown"
}
