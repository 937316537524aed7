package reload

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path"
	"strings"
)

// fingerprint is the same as long as no file changes.
type fingerprint [sha256.Size]byte

// look reads all files. One that cannot be read is a state as well.
func look(paths []string) fingerprint {
	h := sha256.New()
	for _, p := range paths {
		info, err := os.Stat(p)
		switch {
		case err != nil:
			note(h, p, nil, err)
		case info.IsDir():
			lookInto(h, p)
		default:
			content, err := os.ReadFile(p)
			note(h, p, content, err)
		}
	}
	return fingerprint(h.Sum(nil))
}

// lookInto passes over what begins with a dot, such as the bookkeeping of a
// mounted ConfigMap: its files are found by their own names.
func lookInto(h hash.Hash, dir string) {
	files := os.DirFS(dir)
	// Errors are noted where they are met.
	_ = fs.WalkDir(files, ".", func(at string, entry fs.DirEntry, err error) error {
		hidden := at != "." && strings.HasPrefix(path.Base(at), ".")
		switch {
		case err != nil:
			note(h, at, nil, err)
		case hidden && entry.IsDir():
			return fs.SkipDir
		case hidden || entry.IsDir():
		default:
			content, err := fs.ReadFile(files, at)
			note(h, at, content, err)
		}
		return nil
	})
}

// note tells names, contents and errors apart by their lengths.
func note(h hash.Hash, name string, content []byte, err error) {
	_, _ = fmt.Fprintf(h, "%q %d %v\n", name, len(content), err) // a hash takes everything
	_, _ = h.Write(content)
}
