package admission

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	jsonpatch "gopkg.in/evanphx/json-patch.v4" // what the API server applies patches with
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/taojob/taojob/pkg/job/jobtest"
	"github.com/taojob/taojob/pkg/mutate"
)

// encode returns an object's JSON as the API server sends it.
func encode(t *testing.T, object any) []byte {
	t.Helper()
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// apply applies a patch as the API server does.
func apply(t *testing.T, raw []byte, patch []operation) []byte {
	t.Helper()
	p, err := jsonpatch.DecodePatch(encode(t, patch))
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Apply(raw)
	if err != nil {
		t.Fatalf("apply %s: %v", encode(t, patch), err)
	}
	return got
}

// pairs are Jobs before and after a change.
func pairs() map[string][2]jobtest.Job {
	bare := jobtest.New("train").Env("A", "1").Env("B", "2").Env("C", "3")
	volume := func(name string) func(*corev1.PodSpec) {
		return func(p *corev1.PodSpec) { p.Volumes = append(p.Volumes, corev1.Volume{Name: name}) }
	}
	env := func(names ...string) jobtest.Job {
		j := jobtest.New("train")
		for _, name := range names {
			j = j.Env(name, "value of "+name)
		}
		return j
	}
	command := func(words ...string) jobtest.Job {
		return bare.Trainer(func(c *corev1.Container) { c.Command = words })
	}
	return map[string][2]jobtest.Job{
		"nothing":                        {bare, bare},
		"a first annotation":             {bare, bare.Annotate("tao.nvidia.com/a~b", "1")},
		"an annotation beside another":   {bare.Annotate("a", "1"), bare.Annotate("a", "1").Annotate("x/b", "2")},
		"another annotation":             {bare.Annotate("x/a", "1"), bare.Annotate("x/a", "2")},
		"an empty annotation":            {bare.Annotate("a", "1"), bare.Annotate("a", "")},
		"numbers":                        {bare.Defaulted(), bare.Indexed(2, 2).Defaulted()},
		"a number that is nothing":       {bare.Indexed(2, 2), bare.Indexed(0, 0)},
		"a text that was not there":      {bare, bare.Pod(func(p *corev1.PodSpec) { p.Subdomain = "train" })},
		"a switch":                       {bare, bare.Pod(func(p *corev1.PodSpec) { p.HostNetwork = true })},
		"a first volume":                 {bare, bare.Pod(volume("a"))},
		"a volume after another":         {bare.Pod(volume("a")), bare.Pod(volume("a")).Pod(volume("b"))},
		"variables in front":             {env("A", "B"), env("X", "Y", "A", "B")},
		"variables between and behind":   {env("A", "B"), env("A", "X", "B", "Y")},
		"one for another":                {env("A", "B", "C"), env("A", "X", "C")},
		"variables in another order":     {env("A", "B", "C"), env("C", "A", "B")},
		"a name twice":                   {env("A", "A"), env("X", "A", "A")},
		"a value that changed":           {bare, bare.Trainer(func(c *corev1.Container) { c.Env[1].Value = "other" })},
		"a value that is empty":          {bare, bare.Trainer(func(c *corev1.Container) { c.Env[1].Value = "" })},
		"a value that comes from a pod":  {bare, bare.Trainer(func(c *corev1.Container) { c.Env = nil }).EnvField("A", "metadata.name")},
		"words of a command":             {command("sh", "-c", "a"), command("sh", "a", "-c")},
		"a limit":                        {bare.GPUs("1"), bare.GPUs("2").Limit("memory", "1Gi")},
		"a limit that is the same":       {bare.Limit("cpu", "1000m"), bare.Limit("cpu", "1")},
		"a container in front":           {bare, bare.Pod(func(p *corev1.PodSpec) { p.Containers = append([]corev1.Container{{Name: "x"}}, p.Containers...) })},
		"a container behind, env before": {bare, env("X", "A").Container("x", "cpu", "1")},
		"a size": {bare.Memory("shm", "1Gi"), bare.Memory("shm", "1Gi").Pod(func(p *corev1.PodSpec) {
			p.Volumes[0].EmptyDir.SizeLimit = ptr.To(resource.MustParse("2Gi"))
		})},
	}
}

func TestDiffIsWhatChanged(t *testing.T) {
	for name, pair := range pairs() {
		for direction, p := range map[string][2]jobtest.Job{"": pair, ", taken back": {pair[1], pair[0]}} {
			t.Run(name+direction, func(t *testing.T) {
				from, to := p[0].Obj(), p[1].Obj()
				var got batchv1.Job
				if err := decode(apply(t, encode(t, from), diff(from, to)), &got); err != nil {
					t.Fatal(err)
				}
				if !equality.Semantic.DeepEqual(to, &got) {
					t.Errorf("patch %s makes (-want +got):\n%s", encode(t, diff(from, to)), cmp.Diff(to, &got))
				}
			})
		}
	}
}

// TestFieldsNewerThanOurTypesStayWhereTheyAre puts such a field beside every
// name in a Job, injects, and takes the injected out again.
func TestFieldsNewerThanOurTypesStayWhereTheyAre(t *testing.T) {
	for name, in := range map[string]jobtest.Job{
		"on one node":   jobtest.New("train").GPUs("1"),
		"on two nodes":  jobtest.New("train").GPUs("1").Annotate("tao.nvidia.com/nodes", "2"),
		"with sidecars": jobtest.New("train").Container("a", "nvidia.com/gpu", "1").Container("b", "nvidia.com/gpu", "1"),
	} {
		t.Run(name, func(t *testing.T) {
			in := in.Env("A", "1").Env("B", "2").Memory("cache", "1Gi").Mount("cache", "/cache").Defaulted().Obj()
			raw := strings.ReplaceAll(string(encode(t, in)), `"name":"`, `"newer":{"than":["our","types"]},"name":"`)
			result, errs := mutate.Mutate(in, mutate.Options{})
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			injected := apply(t, []byte(raw), diff(in, result.Job))
			var got batchv1.Job
			if err := decode(injected, &got); err != nil || !equality.Semantic.DeepEqual(result.Job, &got) {
				t.Error(err, cmp.Diff(result.Job, &got))
			}
			if diff := cmp.Diff(tree(t, []byte(raw)), tree(t, apply(t, injected, diff(result.Job, in)))); diff != "" {
				t.Errorf("taken back (-was +is):\n%s", diff)
			}
		})
	}
}

func tree(t *testing.T, raw []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestDiffSaysNoMoreThanNeeded(t *testing.T) {
	from := jobtest.New("train").Env("A", "1").Env("B", "2")
	to := jobtest.New("train").Env("X", "0").Env("A", "1").Env("B", "2").Annotate("x/y", "z")
	got := string(encode(t, diff(from.Obj(), to.Obj())))
	want := `[{"op":"add","path":"/metadata/annotations","value":{"x/y":"z"}},` +
		`{"op":"add","path":"/spec/template/spec/containers/0/env/0","value":{"name":"X","value":"0"}}]`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
