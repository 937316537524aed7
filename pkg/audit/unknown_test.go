package audit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUnknownFields(t *testing.T) {
	const refused = ": kubectl apply refuses it, other clients drop it"
	for name, tc := range map[string]struct {
		in   string
		want []string
	}{
		"none where all is known":           {labelled("a", ""), nil},
		"one beside the metadata":           {labelled("a", "") + canary + ": 1\n", []string{"unknown field on line 13" + refused}},
		"a slip of the pen is guessed":      {labelled("a", "") + "      nodeselector: {a: b}\n", []string{"unknown field in spec.template.spec on line 13 (is nodeSelector meant?)" + refused}},
		"one in a list":                     {labelled("a", "") + "        " + canary + ":\n          a: 1\n", []string{"unknown field in spec.template.spec.containers[0] on line 13" + refused}},
		"one below a field that is inlined": {labelled("a", "") + "      volumes: [{emptyDir: {}, emptydir: {}}]\n", []string{"unknown field in spec.template.spec.volumes[0] on line 13 (is emptyDir meant?)" + refused}},
		"keys of the author's are no field": {labelled("a", "") + "      nodeSelector: {" + canary + ": b}\n      overhead: {x/y: 1}\n", nil},
		"one without a line, in JSON that YAML cannot read": {
			`{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a", "labels": {"tao.nvidia.com/job": "\ud83d\ude00"}}, "spec": {"` + canary + `": 1}}`,
			[]string{"unknown field in spec" + refused},
		},
	} {
		t.Run(name, func(t *testing.T) {
			objects, problems := Read([]string{Stdin}, strings.NewReader(tc.in), MaxManifest)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			m, problem := decode(objects[0])
			if problem != nil {
				t.Fatal(problem)
			}
			if diff := cmp.Diff(tc.want, m.warnings); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Nobody knows whether a key that its author chose is a credential.
func TestKeysOfTheAuthorAreNotPrinted(t *testing.T) {
	cron := "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: c, annotations: {tao.nvidia.com/" + canary + ": x}}\n"
	for name, in := range map[string]string{
		"an annotation of ours":       labelled("a", "  annotations: {tao.nvidia.com/"+canary+": x}\n"),
		"one without the label":       aJob("a") + "  annotations: {tao.nvidia.com/" + canary + ": x}\n",
		"one on the pods":             labelled("a", "") + "    metadata: {annotations: {tao.nvidia.com/" + canary + ": x}}\n",
		"one on a CronJob":            cron,
		"an unknown field":            labelled("a", "") + canary + ": 1\n",
		"an unknown field of a cron":  cron + canary + ": 1\nspec: {jobTemplate: {metadata: {labels: {tao.nvidia.com/job: x}}, " + canary + ": 1, spec: {template: {spec: {containers: [{name: a}]}}}}}\n",
		"a key that is there twice":   labelled("a", "  annotations: {"+canary+": x, "+canary+": y}\n"),
		"one that is twice, in JSON":  `{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "\ud83d\ude00", "labels": {"tao.nvidia.com/job": ""}, "` + canary + `": 1, "` + canary + `": 2}}`,
		"a key of a wrong value":      labelled("a", "  annotations: {"+canary+": 1}\n"),
		"a key that holds another":    labelled("a", "") + canary + ": {a: 1, a: 2}\n",
		"a key of a list that is bad": "apiVersion: v1\nkind: List\nitems: [{" + canary + ": 1}]\n",
	} {
		t.Run(name, func(t *testing.T) {
			report := review(t, reviewer(t), in)
			if len(report.Problems) == 0 && len(report.Items[0].Warnings) == 0 {
				t.Error("nothing is said of it")
			}
			said := []any{report.Problems, report.Notes}
			for _, item := range report.Items {
				said = append(said, item.Warnings)
			}
			if strings.Contains(fmt.Sprint(said), canary) {
				t.Errorf("it is printed: %s", said)
			}
		})
	}
}
