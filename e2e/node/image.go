package node

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// Image describes a container image of one layer, made without any base.
type Image struct {
	Name       string            // a reference with a tag
	Files      map[string]string // executables of the machine, by their path in the image
	Links      map[string]string // symbolic links: path to target
	Dirs       []string          // empty folders, which everybody may write to
	Entrypoint []string
	User       string // default root
}

// Import makes the image and gives it to containerd. Pods use it with
// imagePullPolicy IfNotPresent or Never.
func (n *Node) Import(ctx context.Context, i Image) error {
	built, err := i.build()
	if err != nil {
		return fmt.Errorf("build image %s: %w", i.Name, err)
	}
	ref, err := name.NewTag(i.Name)
	if err != nil {
		return fmt.Errorf("read image name: %w", err)
	}
	archive := filepath.Join(n.Dir, "image.tar")
	if err := tarball.WriteToFile(archive, ref, built); err != nil {
		return fmt.Errorf("write image %s: %w", i.Name, err)
	}
	return n.ImportArchive(ctx, archive)
}

// ImportArchive gives an image archive to containerd, docker's or OCI's, and removes the file.
func (n *Node) ImportArchive(ctx context.Context, archive string) error {
	if err := ctr(ctx, "images", "import", archive); err != nil {
		return err
	}
	return os.Remove(archive)
}

func (i Image) build() (v1.Image, error) {
	var layer bytes.Buffer
	if err := i.tar(&layer); err != nil {
		return nil, err
	}
	l, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(layer.Bytes())), nil
	})
	if err != nil {
		return nil, err
	}
	image, err := mutate.AppendLayers(empty.Image, l)
	if err != nil {
		return nil, err
	}
	return mutate.ConfigFile(image, &v1.ConfigFile{
		OS: "linux", Architecture: "amd64",
		RootFS: rootFS(l),
		Config: v1.Config{Entrypoint: i.Entrypoint, User: i.User, Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin"}},
	})
}

func rootFS(l v1.Layer) v1.RootFS {
	id, _ := l.DiffID() // of a buffer in memory
	return v1.RootFS{Type: "layers", DiffIDs: []v1.Hash{id}}
}

// tar writes the image's one layer.
func (i Image) tar(w io.Writer) error {
	t := tar.NewWriter(w)
	for _, dir := range i.folders() {
		mode := int64(0o755)
		if slices.Contains(i.Dirs, "/"+dir) {
			mode = 0o1777
		}
		if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: mode}); err != nil {
			return err
		}
	}
	for path, target := range i.Links {
		h := &tar.Header{Typeflag: tar.TypeSymlink, Name: strings.TrimPrefix(path, "/"), Linkname: target, Mode: 0o777}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
	}
	for path, from := range i.Files {
		content, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		h := &tar.Header{Name: strings.TrimPrefix(path, "/"), Size: int64(len(content)), Mode: 0o755}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(content); err != nil {
			return err
		}
	}
	return t.Close()
}

// folders are all folders of the image, the outer ones first.
func (i Image) folders() []string {
	paths := slices.Clone(i.Dirs)
	for path := range i.Files {
		paths = append(paths, filepath.Dir(path))
	}
	for path := range i.Links {
		paths = append(paths, filepath.Dir(path))
	}
	var dirs []string
	for _, path := range paths {
		for ; path != "/"; path = filepath.Dir(path) {
			dirs = append(dirs, strings.TrimPrefix(path, "/"))
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}
