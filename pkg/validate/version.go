package validate

import (
	"fmt"
	"regexp"
	"strconv"
)

// Version is a Kubernetes version as far as rules care.
type Version struct {
	Major int `json:"major"`
	Minor int `json:"minor"`
}

// version takes what clusters and people write: 1.31, v1.31.4-gke.1, 1.27+.
var version = regexp.MustCompile(`^v?([0-9]{1,4})\.([0-9]{1,4})(?:[.+-][0-9A-Za-z.+-]*)?$`)

// ParseVersion reads a version such as "1.31" or "v1.31.4-gke.1"; vendors'
// suffixes and the patch release are ignored.
func ParseVersion(s string) (Version, error) {
	parts := version.FindStringSubmatch(s)
	if parts == nil {
		return Version{}, fmt.Errorf("parse Kubernetes version %q: want a version such as 1.31 or v1.31.4", s)
	}
	major, _ := strconv.Atoi(parts[1]) // at most four digits, by the expression
	minor, _ := strconv.Atoi(parts[2])
	return Version{Major: major, Minor: minor}, nil
}

// String returns the version as "1.31".
func (v Version) String() string {
	return strconv.Itoa(v.Major) + "." + strconv.Itoa(v.Minor)
}
