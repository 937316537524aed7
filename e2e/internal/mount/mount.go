// Package mount writes folders as the kubelet does for ConfigMaps and Secrets:
// the files are links through one link to a folder, and to change any of them
// is to turn that one link to another folder.
package mount

import (
	"fmt"
	"os"
	"path/filepath"
)

// current is the one link that is turned.
const current = "..data"

// Write makes a folder, or changes one that it made, so that it holds these
// files and no others. Who reads meanwhile sees the files of before or those of
// now, unless they are read one by one.
func Write(dir string, files map[string][]byte) error {
	if err := write(dir, files); err != nil {
		return fmt.Errorf("write mounted folder: %w", err)
	}
	return nil
}

func write(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	before, _ := os.Readlink(filepath.Join(dir, current)) // there is none at first
	next, err := os.MkdirTemp(dir, "..")
	if err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(next, name), content, 0o600); err != nil {
			return err
		}
	}
	turned := filepath.Join(dir, "..data_tmp")
	if err := os.Symlink(filepath.Base(next), turned); err != nil {
		return err
	}
	if err := os.Rename(turned, filepath.Join(dir, current)); err != nil {
		return err
	}
	return links(dir, before, files)
}

// links makes those of new files, and takes away those of files that are gone.
func links(dir, before string, files map[string][]byte) error {
	for name := range files {
		link := filepath.Join(dir, name)
		if _, err := os.Lstat(link); err == nil {
			continue
		}
		if err := os.Symlink(filepath.Join(current, name), link); err != nil {
			return err
		}
	}
	if before == "" {
		return nil
	}
	old, err := os.ReadDir(filepath.Join(dir, before))
	if err != nil {
		return err
	}
	for _, entry := range old {
		if _, stays := files[entry.Name()]; stays {
			continue
		}
		if err := os.Remove(filepath.Join(dir, entry.Name())); err != nil {
			return err
		}
	}
	return os.RemoveAll(filepath.Join(dir, before))
}
