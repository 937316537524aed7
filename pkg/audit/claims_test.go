package audit

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// inRings is a Job of two nodes with a subdomain.
func inRings(name, namespace string) string {
	return labelled(name, twoNodes+"  namespace: "+namespace+"\n") + "      subdomain: rings\n"
}

func TestTwoJobsCannotShareAService(t *testing.T) {
	const told = "the Service rings is the one of Job/a at stdin:1 as well: a Service finds the pods of one Job only"
	bad := strings.Replace(inRings("a", "lab"), "nodes: \"2\"", "nodes: \"2\", tao.nvidia.com/shm-size: big", 1)
	cron := "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: c, namespace: lab}\nspec:\n  jobTemplate:\n" +
		"    metadata: {labels: {tao.nvidia.com/job: x}, annotations: {tao.nvidia.com/nodes: \"2\"}}\n" +
		"    spec: {template: {spec: {containers: [{name: a}], subdomain: rings}}}\n"
	for name, tc := range map[string]struct {
		in    string
		there bool
		told  bool
	}{
		"the second of a namespace is told":         {in: inRings("a", "lab") + "---\n" + inRings("b", "lab"), told: true},
		"a Job named as the subdomain as well":      {in: inRings("a", "lab") + "---\n" + labelled("rings", twoNodes+"  namespace: lab\n"), told: true},
		"a CronJob with the subdomain as well":      {in: inRings("a", "lab") + "---\n" + cron, told: true},
		"not one of another namespace":              {in: inRings("a", "lab") + "---\n" + inRings("b", "other")},
		"not the same Job once more":                {in: inRings("a", "lab") + "---\n" + inRings("a", "lab")},
		"not one on one node":                       {in: inRings("a", "lab") + "---\n" + strings.Replace(inRings("b", "lab"), "\"2\"", "\"1\"", 1)},
		"not one after a Job that is refused":       {in: bad + "---\n" + inRings("b", "lab")},
		"not where a Service for both stands there": {in: inRings("a", "lab") + "---\n" + inRings("b", "lab"), there: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := reviewer(t)
			if tc.there {
				r.Cluster.Service = func(namespace, name string) (*corev1.Service, bool) {
					return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}, true
				}
			}
			report := review(t, r, tc.in)
			if len(report.Items) != 2 {
				t.Fatal(report.Problems)
			}
			item := report.Items[1]
			if slices.Contains(item.Warnings, told) != tc.told {
				t.Errorf("warnings %q", item.Warnings)
			}
			if seen := slices.Contains(said(item), "warn known-facts metadata.name: there is a Service"); seen != (tc.told || tc.there) {
				t.Errorf("the rules see a Service: %t", seen)
			}
			if slices.Contains(report.Items[0].Warnings, told) {
				t.Error("the first is told as well")
			}
		})
	}
}
