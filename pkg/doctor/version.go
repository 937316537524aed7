package doctor

import (
	"github.com/taojob/taojob/pkg/validate"
)

// version tells whether the cluster is new enough for Jobs on several nodes.
func version(s *Snapshot) []Finding {
	if s.Version.Err != nil {
		return missing("read the version", s.Version.Err)
	}
	info := s.Version.Value
	v, err := validate.ParseVersion(info.Major + "." + info.Minor)
	if err != nil {
		return []Finding{{Status: Unknown, Message: "the cluster's version was not understood: " + info.GitVersion}}
	}
	if v.Major == 1 && v.Minor < 28 {
		return []Finding{warn("upgrade to Kubernetes 1.28 or newer",
			"Kubernetes %d.%d runs Jobs on one node; those on several are refused", v.Major, v.Minor)}
	}
	return []Finding{ok("Kubernetes %s", info.GitVersion)}
}
