package audit

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMisplaced(t *testing.T) {
	const (
		label       = "labels: {tao.nvidia.com/job: x}"
		annotations = "annotations: {tao.nvidia.com/nodes: \"1\", other: x}"
	)
	cron := "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: c"
	for name, tc := range map[string]struct {
		in   string
		want []string
	}{
		"all in its place": {labelled("a", "  "+annotations+"\n"), []string{}},
		"a label on the pods only": {
			aJob("a") + "spec: {template: {metadata: {" + label + "}}}\n",
			[]string{"the label tao.nvidia.com/job on the pod template selects nothing: put it into metadata.labels"},
		},
		"a label on the pods as well": {labelled("a", "") + "    metadata: {" + label + "}\n", []string{}},
		"annotations without the label": {
			aJob("a") + "  " + annotations + "\n",
			[]string{"the annotation tao.nvidia.com/nodes means nothing without the label tao.nvidia.com/job in metadata.labels"},
		},
		"annotations on the pods": {
			labelled("a", "") + "    metadata: {" + annotations + "}\n",
			[]string{"the annotation tao.nvidia.com/nodes on the pod template means nothing: put it into metadata.annotations"},
		},
		"all on the CronJob": {
			cron + ", " + label + ", " + annotations + "}\nspec: {jobTemplate: {spec: {template: {spec: {containers: [{name: a}]}}}}}\n",
			[]string{
				"the label tao.nvidia.com/job on the CronJob selects nothing: put it into spec.jobTemplate.metadata.labels",
				"the annotation tao.nvidia.com/nodes on the CronJob means nothing: put it into spec.jobTemplate.metadata.annotations",
			},
		},
		"the annotations on the CronJob": {
			cron + ", " + annotations + "}\nspec: {jobTemplate: {metadata: {" + label + "}, spec: {template: {spec: {containers: [{name: a}]}}}}}\n",
			[]string{"the annotation tao.nvidia.com/nodes on the CronJob means nothing: put it into spec.jobTemplate.metadata.annotations"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			report := review(t, reviewer(t), tc.in)
			if len(report.Items) != 1 {
				t.Fatal(report.Problems)
			}
			if diff := cmp.Diff(tc.want, report.Items[0].Warnings); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestACronJobWithAGeneratedName(t *testing.T) {
	item := review(t, reviewer(t), "apiVersion: batch/v1\nkind: CronJob\nmetadata: {generateName: c-}\nspec: {jobTemplate: {metadata: {labels: {tao.nvidia.com/job: x}, "+
		"annotations: {tao.nvidia.com/nodes: \"2\"}}, spec: {template: {spec: {containers: [{name: a}]}}}}}\n").Items[0]
	want := []string{
		"the name c-xxxxx is an example: the cluster draws its end at random",
		"each Job of the CronJob gets a name of its own, and a Service of that name",
	}
	if diff := cmp.Diff(want, item.Warnings); diff != "" {
		t.Error(diff)
	}
	if got := name(item.Service); got != "c-xxxxx" || name(item.Mutated) != "" {
		t.Errorf("Service %q, CronJob %q", got, name(item.Mutated))
	}
}
