package audit

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/taojob/taojob/pkg/job"
)

// misplaced warns of a label and annotations of ours that stand where nobody
// reads them, and of annotations without the label.
func (m *manifest) misplaced() []string {
	right := "metadata"
	wrong := map[string]*metav1.ObjectMeta{"the pod template": &m.job.Spec.Template.ObjectMeta}
	if m.cron != nil {
		right = "spec.jobTemplate.metadata"
		wrong["the CronJob"] = m.meta
	}
	var warnings []string
	for _, place := range []string{"the CronJob", "the pod template"} {
		meta := wrong[place]
		if meta == nil {
			continue
		}
		if job.Selected(meta.Labels) && !job.Selected(m.job.Labels) {
			warnings = append(warnings, "the label "+job.Label+" on "+place+" selects nothing: put it into "+right+".labels")
		}
		for _, key := range ours(meta.Annotations) {
			warnings = append(warnings, misplacedKey(key, place, right))
		}
	}
	if keys := ours(m.job.Annotations); len(keys) > 0 && !job.Selected(m.job.Labels) {
		warnings = append(warnings, naming(keys[0])+" means nothing without the label "+job.Label+" in "+right+".labels")
	}
	return slices.Compact(warnings)
}

func misplacedKey(key, place, right string) string {
	if !job.Known(key) {
		return naming(key) + " on " + place + " means nothing; " + job.Meant(key)
	}
	return naming(key) + " on " + place + " means nothing: put it into " + right + ".annotations"
}

// naming is how to speak of an annotation under our prefix: by its key only if
// that is one of ours.
func naming(key string) string {
	if job.Known(key) {
		return "the annotation " + key
	}
	return "an annotation under " + job.Prefix
}

// ours are the keys under our prefix, sorted.
func ours(annotations map[string]string) []string {
	var keys []string
	for _, key := range sortedKeys(annotations) {
		if strings.HasPrefix(key, job.Prefix) {
			keys = append(keys, key)
		}
	}
	return keys
}
