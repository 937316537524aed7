package audit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/mutate"
)

// injects says in a few lines what a Job becomes: its nodes, and what was added
// according to the record.
func injects(result *mutate.Result) []string {
	t := result.Training
	record := job.ReadRecord(result.Job.Annotations)
	lines := []string{size(t)}
	if fields := slices.Concat(record.Job, record.Pod); len(fields) > 0 {
		lines = append(lines, "injects "+strings.Join(fields, ", "))
	}
	for _, name := range slices.Sorted(maps.Keys(record.Containers)) {
		if added := record.Containers[name]; len(added) > 0 {
			lines = append(lines, "injects into "+name+": "+counted(added))
		}
	}
	return lines
}

// size is how wide a run is.
func size(t *job.Training) string {
	text := "1 node"
	if t.MultiNode() {
		text = fmt.Sprintf("%d nodes", t.Nodes)
	}
	switch t.GPUsPerNode {
	case 0:
	case 1:
		text += " with 1 GPU"
	default:
		text += fmt.Sprintf(" with %d GPUs", t.GPUsPerNode)
	}
	switch {
	case t.MultiNode():
		text += fmt.Sprintf(", rank 0 at %s:%d", t.MasterAddr, t.MasterPort)
	case t.Array:
		text += " for each of the independent runs"
	}
	return text
}

// counted lists additions, the many variables as their number.
func counted(added []string) string {
	var variables int
	var others []string
	for _, what := range added {
		if strings.HasPrefix(what, "env ") {
			variables++
		} else {
			others = append(others, what)
		}
	}
	switch variables {
	case 0:
	case 1:
		others = append([]string{"1 variable"}, others...)
	default:
		others = append([]string{fmt.Sprintf("%d variables", variables)}, others...)
	}
	return strings.Join(others, ", ")
}
