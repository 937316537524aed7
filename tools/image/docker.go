package main

import (
	"encoding/json"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// saved is an image in the manifest.json that docker save writes.
type saved struct {
	Config   string
	RepoTags []string
	Layers   []string
}

// dockerManifest describes the first platform to readers that don't know OCI
// layouts, which hold one platform anyway.
func dockerManifest(index v1.ImageIndex, tag name.Tag) ([]byte, error) {
	list, err := index.IndexManifest()
	if err != nil {
		return nil, err
	}
	first, err := index.Image(list.Manifests[0].Digest)
	if err != nil {
		return nil, err
	}
	manifest, err := first.Manifest()
	if err != nil {
		return nil, err
	}
	image := saved{Config: blob(manifest.Config.Digest), RepoTags: []string{containerdName(tag)}}
	for _, layer := range manifest.Layers {
		image.Layers = append(image.Layers, blob(layer.Digest))
	}
	return json.Marshal([]saved{image})
}

// blob is where an OCI layout keeps what has this digest.
func blob(digest v1.Hash) string { return "blobs/" + digest.Algorithm + "/" + digest.Hex }
