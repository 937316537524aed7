// Command image makes the container image of one of our programs: a static
// binary, an account to run it as, and nothing else. It needs neither a
// container engine nor a registry, since there is no image below ours; ko does
// the building.
//
// The same source makes the same image, to the byte: times are those of the
// commit, or of $SOURCE_DATE_EPOCH.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/ko/pkg/build"
	"github.com/spf13/cobra"
)

// options are what the flags say.
type options struct {
	root, main, tag, version string
	platforms                []string
	output, sbom             string
	push                     bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := command().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "image: "+err.Error())
		os.Exit(1)
	}
}

func command() *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use:   "image",
		Short: "Make the container image of a program of this checkout, without a container engine",
		Example: `  # an archive for: ctr -n k8s.io images import bin/webhook-image.tar
  image --tag taojob/webhook:dev --output bin/webhook-image.tar

  # straight to a registry
  image --tag registry.example.com/taojob/webhook:v1 --push`,
		Args: cobra.NoArgs, SilenceErrors: true, SilenceUsage: true,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	f := c.Flags()
	f.StringVar(&o.root, "root", ".", "`folder` of the checkout")
	f.StringVar(&o.main, "main", "./cmd/webhook", "`package` of the program, as go build takes it")
	f.StringVar(&o.tag, "tag", "", "`name` of the image, with a tag")
	f.StringVar(&o.version, "version", "dev", "version that the program tells")
	f.StringSliceVar(&o.platforms, "platform", []string{"linux/amd64", "linux/arm64"}, "platforms to build for")
	f.StringVar(&o.output, "output", "", "archive `file` to write, an OCI image layout (default none)")
	f.StringVar(&o.sbom, "sbom", "", "`folder` for the bills of materials, SPDX in JSON (default none)")
	f.BoolVar(&o.push, "push", false, "push the image to the registry in its name")
	return c
}

func (o *options) run(ctx context.Context) error {
	tag, err := name.NewTag(o.tag)
	if err != nil || !strings.HasSuffix(o.tag, ":"+tag.TagStr()) {
		return errors.New("read --tag: want a name with a tag, such as registry.example.com/taojob/webhook:v1")
	}
	if o.output == "" && !o.push {
		return errors.New("want --output or --push, or the image is lost")
	}
	index, err := o.build(ctx)
	if err != nil {
		return err
	}
	digest, err := index.Digest()
	if err != nil {
		return err
	}
	if o.output != "" {
		if err := archive(index, tag, o.output); err != nil {
			return err
		}
	}
	if o.push {
		if err := remote.WriteIndex(tag, index, remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)); err != nil {
			return fmt.Errorf("push %s: %w", tag, err)
		}
	}
	fmt.Printf("%s@%s\n", tag, digest)
	return nil
}

// build makes the image of all platforms.
func (o *options) build(ctx context.Context) (v1.ImageIndex, error) {
	root, err := filepath.Abs(o.root)
	if err != nil {
		return nil, err
	}
	revision, made, err := commit(ctx, root)
	if err != nil {
		return nil, err
	}
	log.SetOutput(io.Discard) // ko's: each untracked file, among others
	opts := []build.Option{
		build.WithBaseImages(bases(o.platforms)),
		build.WithPlatforms(o.platforms...),
		build.WithTrimpath(true),
		build.WithDefaultFlags([]string{"-buildvcs=false"}),
		build.WithDefaultLdflags([]string{"-s", "-w", "-X main.version=" + o.version}),
		build.WithDefaultEnv([]string{"CGO_ENABLED=0"}),
		build.WithCreationTime(v1.Time{Time: made}),
		build.WithUser(user),
		build.WithLabel("org.opencontainers.image.title", filepath.Base(o.main)),
		build.WithLabel("org.opencontainers.image.version", o.version),
		build.WithLabel("org.opencontainers.image.revision", revision),
		build.WithLabel("org.opencontainers.image.licenses", "Apache-2.0"),
		build.WithSPDX(o.version),
	}
	if o.sbom != "" {
		opts = append(opts, build.WithSBOMDir(o.sbom))
	}
	builder, err := build.NewGo(ctx, root, opts...)
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
	case v1.ImageIndex:
		return r, nil
	case v1.Image: // ko's answer for a single platform
		return indexOf(r), nil
	default:
		return nil, fmt.Errorf("build %s: got %T, want an image", o.main, result)
	}
}

// commit returns the revision that is checked out, and the time that the image
// is said to be of: $SOURCE_DATE_EPOCH (reproducible-builds.org), or else the
// commit's own.
func commit(ctx context.Context, root string) (revision string, made time.Time, err error) {
	cmd := exec.CommandContext(ctx, "git", "-C", root, "log", "-1", "--format=%H %ct")
	out, err := cmd.Output()
	if err != nil {
		return "", time.Time{}, fmt.Errorf("ask git for the commit of %s: %w", root, err)
	}
	revision, seconds, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds = epoch
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return "", time.Time{}, fmt.Errorf("read the commit's time, or $SOURCE_DATE_EPOCH: %w", err)
	}
	return revision, time.Unix(n, 0).UTC(), nil
}
