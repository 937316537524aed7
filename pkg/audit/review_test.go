package audit

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/taojob/taojob/pkg/capacity"
	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/mutate"
	"github.com/taojob/taojob/pkg/rendezvous"
	"github.com/taojob/taojob/pkg/validate"
)

// rules are stand-ins that say what they see, so that these tests depend on no
// real rule's wording.
var rules = fstest.MapFS{
	"a.rego": {Data: []byte(`# METADATA
# title: Credential
# description: Finds every string with the word canary in it.
# custom: {id: inline-credentials, action: deny, fix: take it out}
package tao.rules.inline_credentials

violation contains {"path": path, "message": sprintf("a credential, %s", [value])} if {
	walk(input.object, [path, value])
	is_string(value)
	startswith(value, "canary")
}

violation contains {"path": path, "message": "a key"} if {
	walk(input.object, [path, value])
	is_object(value)
	some key, _ in value
	contains(key, "canary")
}
`)},
	"b.rego": {Data: []byte(`# METADATA
# title: Facts
# description: Says what it knows.
# custom: {id: known-facts, action: warn, fix: nothing to fix}
package tao.rules.known_facts

violation contains {"path": ["spec"], "message": sprintf("%d of %d fit", [input.facts.capacity.fit, input.facts.capacity.want])}
violation contains {"path": ["metadata", "name"], "message": "there is a Service"} if input.facts.service.exists
violation contains {"path": ["metadata", "name"], "message": "there is no Service"} if not input.facts.service.exists
violation contains {"path": ["spec"], "message": sprintf("it is called %s in %s", [input.training.name, input.training.namespace])} if input.object.metadata.labels.tell
skipped contains "the nodes are not known: give --inventory" if not input.facts.capacity
`)},
}

func reviewer(t *testing.T) *Reviewer {
	t.Helper()
	engine, err := validate.New(t.Context(), rules)
	if err != nil {
		t.Fatal(err)
	}
	return &Reviewer{Policy: &validate.Policy{Engine: engine}, Options: mutate.Options{NameSuffix: "xxxxx"}, Service: rendezvous.Service,
		Now: func() time.Time { return time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC) }}
}

// review reviews a text.
func review(t *testing.T, r *Reviewer, text string) *Report {
	t.Helper()
	objects, problems := Read([]string{Stdin}, strings.NewReader(text), MaxManifest)
	return r.Review(t.Context(), objects, problems)
}

// labelled is a Job with a container, and more below the metadata.
func labelled(name, more string) string {
	return aJob(name) + "  labels: {tao.nvidia.com/job: \"\"}\n" + more + `spec:
  template:
    spec:
      containers:
      - name: tao
        image: nvcr.io/tao
        resources: {limits: {nvidia.com/gpu: 8}}
`
}

const twoNodes = "  annotations: {tao.nvidia.com/nodes: \"2\"}\n"

func TestReviewSelects(t *testing.T) {
	cron := "apiVersion: batch/v1\nkind: CronJob\nmetadata:\n  name: c\n"
	for name, tc := range map[string]struct {
		in       string
		selected bool
		warns    string
	}{
		"a labelled Job":                         {labelled("a", ""), true, ""},
		"no other":                               {aJob("a"), false, ""},
		"not by a label on the pod template":     {aJob("a") + "spec: {template: {metadata: {labels: {tao.nvidia.com/job: x}}}}\n", false, "on the pod template selects nothing"},
		"a CronJob by its jobTemplate":           {cron + "spec: {jobTemplate: {metadata: {labels: {tao.nvidia.com/job: x}}, spec: {template: {spec: {containers: [{name: a}]}}}}}\n", true, ""},
		"a CronJob not by a label of its own":    {cron + "  labels: {tao.nvidia.com/job: x}\n", false, "put it into spec.jobTemplate.metadata.labels"},
		"a CronJob not by its pods' label":       {cron + "spec: {jobTemplate: {spec: {template: {metadata: {labels: {tao.nvidia.com/job: x}}}}}}\n", false, "on the pod template selects nothing"},
		"unknown fields of others do not matter": {aJob("a") + "specs: {}\n", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			report := review(t, reviewer(t), tc.in)
			if len(report.Items) != 1 || len(report.Problems) > 0 {
				t.Fatalf("%d items, %v", len(report.Items), report.Problems)
			}
			item := report.Items[0]
			if item.Selected != tc.selected || !item.Allowed || (item.Mutated != nil) != tc.selected {
				t.Errorf("selected %t, allowed %t, mutated %t", item.Selected, item.Allowed, item.Mutated != nil)
			}
			if warnings := fmt.Sprint(item.Warnings); (len(item.Warnings) > 0) != (tc.warns != "") || !strings.Contains(warnings, tc.warns) {
				t.Errorf("warnings %s, want %q", warnings, tc.warns)
			}
		})
	}
}

func TestReviewPassesOverOtherKinds(t *testing.T) {
	report := review(t, reviewer(t), "apiVersion: v1\nkind: Pod\n---\napiVersion: batch/v1beta1\nkind: CronJob\n---\napiVersion: x/v1\nkind: Job\n")
	if len(report.Items) > 0 || report.ExitCode(validate.Deny) != ExitNoJob {
		t.Errorf("%v, exit %d", report.Items, report.ExitCode(validate.Deny))
	}
}

func TestReviewNamesItems(t *testing.T) {
	r := reviewer(t)
	r.Namespace = "given"
	report := review(t, r, aJob("a")+"  namespace: own\n---\n"+strings.Replace(aJob("b-"), "name:", "generateName:", 1))
	var got []string
	for _, i := range report.Items {
		got = append(got, i.Namespace+"/"+i.Name)
	}
	if diff := cmp.Diff([]string{"own/a", "given/b-"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestReviewRefusesWhatDoesNotDecode(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"a number where text belongs":       {labelled("a", "") + "        env: [{name: A, value: 1}]\n", "stdin:13: spec.template.spec.containers[0].env[0].value: want a string, found a number: put it into quotes"},
		"a truth where text belongs":        {aJob("a") + "  annotations: {a.b/c: true}\n", "stdin:5: metadata.annotations[…]: want a string, found true or false: put it into quotes"},
		"a yes of YAML 1.1, as kubectl":     {aJob("a") + "  annotations: {a: yes}\n", "stdin:5: metadata.annotations[…]: want a string, found true or false: put it into quotes"},
		"text where a number belongs":       {aJob("a") + "spec:\n  parallelism: " + canary + "\n", "stdin:6: spec.parallelism: want a whole number, found another string"},
		"a fraction":                        {aJob("a") + "spec:\n  parallelism: 1.5\n", "stdin:6: spec.parallelism: want a whole number, found another number"},
		"a number that is too large":        {aJob("a") + "spec:\n  parallelism: 3000000000\n", "stdin:6: spec.parallelism: want a whole number, found another number"},
		"text where a list belongs":         {aJob("a") + "spec: {template: {spec: {containers: " + canary + "}}}\n", "stdin:5: spec.template.spec.containers: want a list, found another string"},
		"a list where an object belongs":    {aJob("a") + "spec: [" + canary + "]\n", "stdin:5: spec: want an object, found a list"},
		"a quantity that is none":           {aJob("a") + "spec: {template: {spec: {containers: [{resources: {limits: {cpu: " + canary + "}}}]}}}\n", "stdin:5: spec.template.spec.containers[0].resources.limits.cpu: want a quantity such as 8 or 16Gi, found another string"},
		"a time that is none":               {aJob("a") + "  creationTimestamp: " + canary + "\n", "stdin:5: metadata.creationTimestamp: want a time such as 2006-01-02T15:04:05Z, found another string"},
		"a port that is neither":            {aJob("a") + "spec: {template: {spec: {containers: [{livenessProbe: {httpGet: {port: [1]}}}]}}}\n", "stdin:5: spec.template.spec.containers[0].livenessProbe.httpGet.port: want a whole number or a string, found a list"},
		"text where a truth belongs":        {aJob("a") + "spec: {suspend: " + canary + "}\n", "stdin:5: spec.suspend: want true or false, found another string"},
		"no name":                           {"apiVersion: batch/v1\nkind: Job\nmetadata:\n  labels: {a: " + canary + "}\n", "stdin:4: metadata.name: want a name, or a generateName"},
		"a name twice, in JSON YAML cannot": {`{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "\ud83d\ude00", "name": "` + canary + `"}}`, "stdin:1: a field is there twice"},
	} {
		t.Run(name, func(t *testing.T) {
			report := review(t, reviewer(t), tc.in)
			if len(report.Problems) == 0 || report.ExitCode(validate.Deny) != ExitBadInput {
				t.Fatalf("no problem, exit %d", report.ExitCode(validate.Deny))
			}
			if got := report.Problems[0].String(); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			if strings.Contains(fmt.Sprint(report.Problems), canary) {
				t.Error("a value of the file is printed")
			}
		})
	}
}

func said(i Item) []string {
	var all []string
	for _, v := range i.Violations {
		all = append(all, fmt.Sprintf("%s %s %s: %s", v.Action, v.Rule, v.Path, v.Message))
	}
	for _, w := range i.Warnings {
		all = append(all, "warning: "+w)
	}
	return all
}

func TestReviewJudges(t *testing.T) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Spec: corev1.NodeSpec{Taints: []corev1.Taint{{Key: "nvidia.com/gpu", Effect: "NoSchedule"}}}}
	node.Status.Conditions = []corev1.NodeCondition{{Type: "Ready", Status: "True"}}
	node.Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8"), "pods": resource.MustParse("9")}
	r := reviewer(t)
	r.Cluster.Nodes = capacity.NewIndex(node)
	r.Cluster.Service = func(namespace, name string) (*corev1.Service, bool) {
		if namespace == "lab" && name == "a" {
			return &corev1.Service{}, true
		}
		return nil, true
	}
	bad := "  annotations: {tao.nvidia.com/nodes: many}\n"
	for name, tc := range map[string]struct {
		in   string
		want []string
	}{
		"what injection adds counts: the toleration": {labelled("a", ""), []string{"warn known-facts metadata.name: there is no Service", "warn known-facts spec: 1 of 1 fit"}},
		"nodes have to fit at once":                  {labelled("a", twoNodes), []string{"warn known-facts metadata.name: there is no Service", "warn known-facts spec: 1 of 2 fit"}},
		"a Service of the namespace is seen":         {labelled("a", twoNodes+"  namespace: lab\n"), []string{"warn known-facts metadata.name: there is a Service", "warn known-facts spec: 1 of 2 fit"}},
		"an array asks for one pod":                  {labelled("a", "") + "  completionMode: Indexed\n  completions: 4\n  parallelism: 2\n", []string{"warn known-facts metadata.name: there is no Service", "warn known-facts spec: 1 of 1 fit"}},
		"a bad annotation denies, and rules are still asked": {labelled("a", bad) + "        command: [canary]\n", []string{
			"deny invalid-annotation metadata.annotations[tao.nvidia.com/nodes]: want a whole number from 1 to 100000",
			"deny inline-credentials spec.template.spec.containers[0].command[0]: a credential, (redacted)",
			"warn known-facts metadata.name: there is no Service",
		}},
		"a generated name is made up, for the rules": {strings.Replace(labelled("a-", strings.Replace(twoNodes, "{", "{tao.nvidia.com/credentials-secret: none, ", 1)), "name:", "generateName:", 1) + "metadata2: 1\n", []string{
			"warn known-facts metadata.name: there is no Service", "warn known-facts spec: 1 of 2 fit",
			"warning: unknown field on line 14 (is metadata meant?): kubectl apply refuses it, other clients drop it",
			"warning: the name a-xxxxx is an example: the cluster draws its end at random",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			report := review(t, r, tc.in)
			if len(report.Items) != 1 {
				t.Fatal(report.Problems)
			}
			if diff := cmp.Diff(tc.want, said(report.Items[0])); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReviewKeepsTheAuthorsNamespace(t *testing.T) {
	r := reviewer(t)
	r.Namespace = "given"
	report := review(t, r, strings.Replace(labelled("a", twoNodes), `""}`, `"", tell: "x"}`, 1))
	if !slices.Contains(said(report.Items[0]), "warn known-facts spec: it is called a in given") {
		t.Errorf("the rules do not see the namespace: %q", said(report.Items[0]))
	}
	for _, object := range []map[string]any{report.Items[0].Mutated, report.Items[0].Service} {
		if _, ok := object["metadata"].(map[string]any)["namespace"]; ok {
			t.Error("the namespace is written into the object")
		}
	}
}

func TestReviewCronJob(t *testing.T) {
	cron := "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: c}\nspec:\n  schedule: '* * * * *'\n  jobTemplate:\n" +
		"    metadata: {labels: {tao.nvidia.com/job: x}, annotations: {tao.nvidia.com/nodes: NODES}}\n" +
		"    spec: {template: {spec: {containers: [{name: a}]}}}\n"
	item := review(t, reviewer(t), strings.Replace(cron, "NODES", `"2"`, 1)).Items[0]
	if !slices.ContainsFunc(item.Warnings, func(w string) bool { return strings.Contains(w, "a name of its own") }) || item.Service == nil {
		t.Errorf("warnings %q, service %v", item.Warnings, item.Service)
	}
	template := item.Mutated["spec"].(map[string]any)["jobTemplate"].(map[string]any)
	if annotations := template["metadata"].(map[string]any)["annotations"].(map[string]any); annotations[job.Injected] != nil {
		t.Error("the preview has the record of injection")
	}
	if completions := template["spec"].(map[string]any)["completions"]; completions != int64(2) {
		t.Errorf("completions %v in the preview", completions)
	}
	item = review(t, reviewer(t), strings.NewReplacer("NODES", `"2"`, "{containers", "{subdomain: rings, containers").Replace(cron)).Items[0]
	if !strings.Contains(fmt.Sprint(item.Warnings), "want one Service") {
		t.Errorf("with a subdomain: warnings %q", item.Warnings)
	}
	item = review(t, reviewer(t), strings.Replace(cron, "NODES", "many", 1)).Items[0]
	if want := "spec.jobTemplate.metadata.annotations[tao.nvidia.com/nodes]"; item.Allowed || item.Violations[0].Path != want {
		t.Errorf("%+v, want a denial at %s", item.Violations, want)
	}
	item = review(t, reviewer(t), strings.Replace(cron, "NODES", `"1"`, 1)).Items[0]
	if item.Service != nil || len(item.Warnings) > 0 {
		t.Errorf("on one node: service %v, warnings %q", item.Service, item.Warnings)
	}
}

func TestReviewSaysWhichRuleFailed(t *testing.T) {
	broken := fstest.MapFS{"a.rego": {Data: []byte("# METADATA\n# title: a\n# description: b\n# custom: {id: bad-rule, action: deny, fix: c}\n" +
		"package tao.rules.bad_rule\n\nviolation contains {\"path\": [\"spec\"]} if true\n")}}
	engine, err := validate.New(t.Context(), broken)
	if err != nil {
		t.Fatal(err)
	}
	r := reviewer(t)
	r.Policy.Engine = engine
	report := review(t, r, labelled("a", ""))
	if len(report.Items) != 1 || report.ExitCode(validate.Deny) != ExitBadInput || !strings.Contains(report.Problems[0].String(), "stdin:1: evaluate rule bad-rule") {
		t.Errorf("%d items, problems %v", len(report.Items), report.Problems)
	}
	if report.Items[0].Mutated != nil || strings.Contains(written(t, report, "diff", false), "nvcr.io") {
		t.Error("the manifest is shown, though nobody looked for credentials")
	}
}
