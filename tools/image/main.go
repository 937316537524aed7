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
	"os"
	"os/signal"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
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
	f.BoolVar(&o.push, "push", false, "push the image, with its bills of materials, to the registry in its name")
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
		if err := push(ctx, index, tag); err != nil {
			return fmt.Errorf("push %s: %w", tag, err)
		}
	}
	fmt.Printf("%s@%s\n", tag, digest)
	return nil
}
