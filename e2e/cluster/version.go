package cluster

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// DefaultVersion is the minor version a cluster has when none is asked for:
// the newest one we support.
const DefaultVersion = "1.37"

// releases maps a minor version to the patch release that stands for it. They
// are pinned, so that a suite runs against the same server next year.
var releases = map[string]string{
	"1.27": "1.27.16", // older than 1.28, the first with per-index Pod labels
	"1.29": "1.29.6",
	"1.30": "1.30.14",
	"1.31": "1.31.14",
	"1.32": "1.32.13",
	"1.33": "1.33.13",
	"1.34": "1.34.4",
	"1.35": "1.35.4",
	"1.36": "1.36.3",
	"1.37": "1.37.2",
}

var exactVersion = regexp.MustCompile(`^1\.(0|[1-9]\d*)\.(0|[1-9]\d*)$`)

// Resolve turns a wanted version ("1.37", "v1.34.4", or "" for the default)
// into an exact one without the leading v.
func Resolve(version string) (string, error) {
	v := strings.TrimPrefix(version, "v")
	if v == "" {
		v = DefaultVersion
	}
	if exact, ok := releases[v]; ok {
		return exact, nil
	}
	if exactVersion.MatchString(v) {
		return v, nil
	}
	return "", fmt.Errorf("resolve Kubernetes version %q: want one of %s, or an exact version such as 1.34.4",
		version, strings.Join(Minors(), ", "))
}

// Minors lists the minor versions that need no patch number, oldest first.
func Minors() []string {
	return slices.SortedFunc(maps.Keys(releases), func(a, b string) int { return minor(a) - minor(b) })
}

// minor is the second number of a version that Resolve accepted.
func minor(version string) int {
	n, err := strconv.Atoi(strings.Split(version, ".")[1])
	if err != nil {
		panic("version was not resolved: " + version)
	}
	return n
}

// staging is the version that the libraries of a Kubernetes release carry:
// k8s.io/api v0.37.2 belongs to Kubernetes 1.37.2.
func staging(version string) string { return "v0" + strings.TrimPrefix(version, "1") }
