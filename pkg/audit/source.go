package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// Stdin is the name that stands for standard input.
const Stdin = "-"

const (
	// MaxManifest bounds a file of manifests. The API server takes 3 MiB at a
	// time; a file that is larger by far is not one.
	MaxManifest = 16 << 20
	// MaxInventory bounds a file of cluster state: 5,000 nodes with their image
	// lists take some 100 MiB.
	MaxInventory = 512 << 20
)

// extensions are those of files that are looked at in a folder.
var extensions = []string{".yaml", ".yml", ".json"}

// Read reads files, folders and standard input (Stdin), each up to limit bytes,
// and returns the Kubernetes objects in them, in order: folders sorted by name,
// without their hidden folders. Lists are expanded.
//
// What cannot be read is a Problem, and the rest goes on. In a folder, YAML
// that is no Kubernetes object is passed over.
func Read(names []string, stdin io.Reader, limit int64) ([]Object, []Problem) {
	r := &reader{limit: limit}
	for _, name := range names {
		r.read(name, stdin)
	}
	return r.objects, r.problems
}

// ReadInventory reads cluster state as Read reads manifests, each file up to
// MaxInventory. The image lists of Nodes are left out.
func ReadInventory(names []string, stdin io.Reader) ([]Object, []Problem) {
	r := &reader{limit: MaxInventory, lean: true}
	for _, name := range names {
		r.read(name, stdin)
	}
	return r.objects, r.problems
}

// reader collects what is read.
type reader struct {
	limit int64
	// lean leaves out what an inventory is not asked for.
	lean     bool
	objects  []Object
	problems []Problem
}

func (r *reader) fail(p Problem) { r.problems = append(r.problems, p) }

func (r *reader) read(name string, stdin io.Reader) {
	if name == Stdin {
		r.text("stdin", stdin, false)
		return
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		r.fail(Problem{File: name, Message: reason(err)})
	case info.IsDir():
		r.folder(name)
	default:
		r.file(name, false)
	}
}

// folder reads the files below root. The walk is sorted by name.
func (r *reader) folder(root string) {
	root += string(filepath.Separator) // a link that was named is followed; it stands for a folder
	// The function never returns an error but SkipDir, so neither does WalkDir.
	_ = filepath.WalkDir(root, func(at string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			r.fail(Problem{File: at, Message: reason(err)})
		case entry.IsDir() && at != root && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		case entry.IsDir() || !slices.Contains(extensions, strings.ToLower(filepath.Ext(at))):
		default:
			if info, err := os.Stat(at); err != nil || info.Mode().IsRegular() { // a link to a folder is not followed
				r.file(at, true)
			}
		}
		return nil
	})
}

func (r *reader) file(name string, found bool) {
	f, err := os.Open(name)
	if err != nil {
		r.fail(Problem{File: name, Message: reason(err)})
		return
	}
	defer func() { _ = f.Close() }() // it was only read
	r.text(name, f, found)
}

// text reads one file. found tells that a folder was given, not the file.
func (r *reader) text(name string, from io.Reader, found bool) {
	raw, err := io.ReadAll(io.LimitReader(from, r.limit+1))
	switch {
	case err != nil:
		r.fail(Problem{File: name, Message: reason(err)})
	case int64(len(raw)) > r.limit:
		r.fail(Problem{File: name, Message: fmt.Sprintf("is larger than %d MiB", r.limit>>20)})
	case bytes.HasPrefix(raw, []byte("\xff\xfe")) || bytes.HasPrefix(raw, []byte("\xfe\xff")):
		r.fail(Problem{File: name, Message: "is UTF-16 text, want UTF-8: in Windows PowerShell, pipe to Out-File -Encoding utf8"})
	case bytes.IndexByte(raw, 0) >= 0:
		r.fail(Problem{File: name, Message: "is a binary file, want YAML or JSON as UTF-8 text"})
	case !utf8.Valid(raw):
		r.fail(Problem{File: name, Message: "is not UTF-8 text"})
	default:
		text := withoutMarks(raw)
		if r.lean {
			text = withoutImages(text)
		}
		r.documents(name, text, found)
	}
}

// withoutMarks takes out the byte order marks that begin a file, and lines of it
// where files were put together: parsers do not see what such a line begins.
func withoutMarks(text []byte) []byte {
	mark := []byte("\ufeff")
	text = bytes.TrimPrefix(text, mark)
	if !bytes.Contains(text, mark) {
		return text
	}
	for _, end := range append([]string{"\n", "\r"}, separators...) {
		text = bytes.ReplaceAll(text, []byte(end+"\ufeff"), []byte(end))
	}
	return text
}

// reason is an error without the path that os puts into it: a Problem has it.
func reason(err error) string {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err.Error()
	}
	return err.Error()
}
