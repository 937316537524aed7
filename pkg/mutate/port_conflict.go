package mutate

import (
	"strconv"
	"strings"

	"github.com/taojob/taojob/pkg/job"
)

// portConflict injects nothing; it tells of a port that is asked for twice and
// differs: what the process sees wins, and the annotation would be passed over
// in silence.
func portConflict(in *injection) {
	annotated, ok := in.job.Annotations[job.MasterPort]
	if !ok {
		return
	}
	asked, _ := strconv.Atoi(strings.TrimSpace(annotated)) // it was read before
	for _, c := range in.trainers {
		v := envVar(c, "MASTER_PORT")
		if v == nil || v.ValueFrom != nil || strings.Contains(v.Value, "$(") { // nobody knows it yet
			continue
		}
		if port, err := strconv.Atoi(v.Value); err == nil && port != asked {
			in.warn("annotation %s has no effect on container %q: its variable MASTER_PORT says otherwise", job.MasterPort, c.Name)
		}
	}
}
