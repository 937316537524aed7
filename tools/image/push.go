package main

import (
	"context"
	"fmt"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/sigstore/cosign/v3/pkg/oci"
)

// described is an image or an index that may have a bill of materials.
type described interface {
	oci.SignedEntity
	Digest() (v1.Hash, error)
}

// push sends an image to its registry, with the credentials that docker login
// left. The bills go first, so that nobody meets an image without its own.
func push(ctx context.Context, index oci.SignedImageIndex, tag name.Tag) error {
	options := []remote.Option{remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)}
	manifest, err := index.IndexManifest()
	if err != nil {
		return err
	}
	all := []described{index}
	for _, m := range manifest.Manifests {
		image, err := index.SignedImage(m.Digest)
		if err != nil {
			return err
		}
		all = append(all, image)
	}
	for _, d := range all {
		if err := pushBill(d, tag.Context(), options); err != nil {
			return err
		}
	}
	return remote.WriteIndex(tag, index, options...)
}

// pushBill sends a bill of materials to the tag where ko puts it, and where
// cosign looks for it.
func pushBill(of described, repository name.Repository, options []remote.Option) error {
	bill, err := of.Attachment("sbom")
	if err != nil {
		return fmt.Errorf("find the bill of materials: %w", err)
	}
	digest, err := of.Digest()
	if err != nil {
		return err
	}
	tag := repository.Tag(digest.Algorithm + "-" + digest.Hex + ".sbom")
	if err := remote.Write(tag, bill, options...); err != nil {
		return fmt.Errorf("push the bill of materials: %w", err)
	}
	return nil
}
