package audit

import (
	"net/url"
	"os"
	slashes "path"
	"path/filepath"
	"strings"
)

// artifact is a file as CI systems name it: below the folder they run in if it
// is there, with forward slashes.
func artifact(file string) string {
	if filepath.IsAbs(file) {
		if here, err := os.Getwd(); err == nil {
			if below, err := filepath.Rel(here, file); err == nil && filepath.IsLocal(below) {
				file = below
			}
		}
	}
	return slashes.Clean(filepath.ToSlash(file))
}

// artifactURI is that name as a URI reference.
func artifactURI(file string) string {
	name := artifact(file)
	u := url.URL{Path: name}
	if strings.HasPrefix(name, "/") {
		u.Scheme = "file"
	}
	return u.String()
}
