package mutate

import (
	"slices"

	"github.com/taojob/taojob/pkg/job"
)

// unknownAnnotations injects nothing; it speaks up about annotations under our
// prefix that mean nothing, since a slip such as "node" for "nodes" would turn
// a wide run into a narrow one in silence. It does not say their names, which
// may be credentials.
func unknownAnnotations(in *injection) {
	for _, key := range in.training.Unknown {
		in.warn("an annotation under %s means nothing to taojob and is ignored; %s", job.Prefix, job.Meant(key))
	}
	in.warnings = slices.Compact(in.warnings)
}
