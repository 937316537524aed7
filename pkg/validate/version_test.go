package validate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taojob/taojob/pkg/validate"
)

func TestParseVersion(t *testing.T) {
	for name, tc := range map[string]struct {
		in   string
		want *validate.Version // nil for an error
	}{
		"a release as people write it":          {"1.31", &validate.Version{Major: 1, Minor: 31}},
		"a git version of GKE":                  {"v1.31.4-gke.1", &validate.Version{Major: 1, Minor: 31}},
		"a git version of EKS":                  {"v1.27.16-eks-a18cd3a", &validate.Version{Major: 1, Minor: 27}},
		"a git version of K3s":                  {"v1.28.2+k3s1", &validate.Version{Major: 1, Minor: 28}},
		"a minor version with a plus":           {"1.27+", &validate.Version{Major: 1, Minor: 27}},
		"two digits are a number, not a string": {"1.9", &validate.Version{Major: 1, Minor: 9}},
		"nothing is no version":                 {"", nil},
		"a major version alone is none":         {"1", nil},
		"a word is none":                        {"latest", nil},
		"a negative number is none":             {"1.-3", nil},
		"an endless number is none":             {"1.99999999999999999999", nil},
		"text in front is none":                 {"x1.31", nil},
		"a second line is none":                 {"1.31\n1.32", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := validate.ParseVersion(tc.in)
			if (err != nil) != (tc.want == nil) {
				t.Fatalf("ParseVersion(%q): %v", tc.in, err)
			}
			if tc.want != nil && got != *tc.want {
				t.Error(cmp.Diff(*tc.want, got))
			}
		})
	}
}

func FuzzParseVersion(f *testing.F) {
	for _, seed := range []string{"1.31", "v1.31.4-gke.1", "1.27+", "", "v.", "1.0x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := validate.ParseVersion(s)
		if err != nil {
			return
		}
		again, err := validate.ParseVersion(v.String())
		if err != nil || again != v {
			t.Errorf("%q reads as %v, and that as %v (%v)", s, v, again, err)
		}
	})
}
