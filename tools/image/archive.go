package main

import (
	"archive/tar"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
)

// archive writes an image of all platforms as a tar of an OCI image layout,
// which containerd, Podman, skopeo and crane read, and of what docker save
// would write, for docker load and minikube.
func archive(index v1.ImageIndex, tag name.Tag, path string) (err error) {
	dir, err := os.MkdirTemp("", "taojob-image-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // the archive has it all
	l, err := layout.Write(dir, empty.Index)
	if err != nil {
		return fmt.Errorf("write image layout: %w", err)
	}
	err = l.AppendIndex(index, layout.WithAnnotations(map[string]string{
		"org.opencontainers.image.ref.name": tag.TagStr(),
		"io.containerd.image.name":          containerdName(tag),
	}))
	if err != nil {
		return fmt.Errorf("write image layout: %w", err)
	}
	saved, err := dockerManifest(index, tag)
	if err != nil {
		return fmt.Errorf("describe the image to Docker: %w", err)
	}
	if err := l.WriteFile("manifest.json", saved, 0o644); err != nil {
		return fmt.Errorf("write image layout: %w", err)
	}
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := packDir(out, dir); err != nil {
		_ = out.Close() // what is there is of no use
		return fmt.Errorf("write %s: %w", path, err)
	}
	return out.Close()
}

// packDir writes the files of a folder, in order and without times and owners.
func packDir(out io.Writer, dir string) error {
	t := tar.NewWriter(out)
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		relative, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := t.WriteHeader(&tar.Header{Name: filepath.ToSlash(relative), Mode: 0o644, Size: int64(len(content))}); err != nil {
			return err
		}
		_, err = t.Write(content)
		return err
	})
	if err != nil {
		return err
	}
	return t.Close()
}

// containerdName is what the kubelet asks containerd for: Docker Hub has
// another name there.
func containerdName(tag name.Tag) string {
	return strings.Replace(tag.Name(), name.DefaultRegistry+"/", "docker.io/", 1)
}
