package cluster

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestResolve(t *testing.T) {
	for name, tc := range map[string]struct{ in, want, err string }{
		"nothing means the default":          {in: "", want: "1.37.2"},
		"a minor gets its pinned patch":      {in: "1.27", want: "1.27.16"},
		"an exact version is taken as it is": {in: "1.34.1", want: "1.34.1"},
		"a leading v is what servers say":    {in: "v1.37.2", want: "1.37.2"},
		"an unknown minor tells what works":  {in: "1.12", err: "want one of 1.27, 1.29"},
		"a suffix is not a release":          {in: "1.37.0-rc.1", err: `"1.37.0-rc.1"`},
		"a path can't get into the cache's":  {in: "1.37.2/../..", err: "resolve Kubernetes version"},
		"another major doesn't exist":        {in: "2.0.0", err: "resolve Kubernetes version"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Resolve(tc.in)
			if got != tc.want {
				t.Errorf("Resolve(%q) = %q, want %q", tc.in, got, tc.want)
			}
			checkError(t, err, tc.err)
		})
	}
}

func TestEveryReleaseResolvesToItsOwnMinor(t *testing.T) {
	for wanted, exact := range releases {
		if !exactVersion.MatchString(exact) || minor(exact) != minor(wanted) {
			t.Errorf("releases[%q] = %q", wanted, exact)
		}
	}
	if _, ok := releases[DefaultVersion]; !ok {
		t.Errorf("the default %s is not in the table", DefaultVersion)
	}
}

func TestMinorsAreSortedAsNumbers(t *testing.T) {
	releases["1.100"] = "1.100.0"
	defer delete(releases, "1.100")
	got := Minors()
	if first, last := got[0], got[len(got)-1]; first != "1.27" || last != "1.100" {
		t.Errorf("Minors() = %v", got)
	}
}

func TestStaging(t *testing.T) {
	if diff := cmp.Diff("v0.27.16", staging("1.27.16")); diff != "" {
		t.Error(diff)
	}
}

// checkError wants an error that contains a text, or none for "".
func checkError(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("unexpected error: %v", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("error %v, want one with %q", err, want)
	}
}
