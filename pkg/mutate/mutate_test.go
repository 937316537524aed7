package mutate_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/job/jobtest"
	"github.com/taojob/taojob/pkg/mutate"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden injects each *.in.yaml of testdata and compares with the *.out.yaml
// beside it: the folder is the list of cases.
func TestGolden(t *testing.T) {
	inputs, err := filepath.Glob("testdata/*.in.yaml")
	if err != nil || len(inputs) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	outputs, _ := filepath.Glob("testdata/*.out.yaml")
	if len(outputs) != len(inputs) && !*update {
		t.Errorf("%d outputs for %d inputs: remove the stale ones", len(outputs), len(inputs))
	}
	for _, input := range inputs {
		t.Run(filepath.Base(input), func(t *testing.T) {
			result, errs := mutate.Mutate(load(t, input), mutate.Options{})
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			compareGolden(t, strings.Replace(input, ".in.", ".out.", 1), result.Job)
			again, errs := mutate.Mutate(result.Job, mutate.Options{})
			if diff := cmp.Diff(result.Job, again.Job); diff != "" || len(errs) > 0 {
				t.Errorf("the second pass changes the first: %v\n%s", errs, diff)
			}
		})
	}
}

func load(t *testing.T, file string) *batchv1.Job {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	j := &batchv1.Job{}
	if err := yaml.UnmarshalStrict(raw, j); err != nil {
		t.Fatal(err)
	}
	return j
}

func compareGolden(t *testing.T, file string, j *batchv1.Job) {
	t.Helper()
	got, err := yaml.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func TestMutateLeavesItsInputAlone(t *testing.T) {
	in := jobtest.New("train").Annotate(job.Nodes, "2").GPUs("8").Env("A", "1").Obj()
	before := in.DeepCopy()
	if _, errs := mutate.Mutate(in, mutate.Options{}); len(errs) > 0 {
		t.Fatal(errs)
	}
	if diff := cmp.Diff(before, in); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

func TestMutateRefuses(t *testing.T) {
	one := jobtest.New("train")
	for name, tc := range map[string]struct {
		in   jobtest.Job
		want []string
	}{
		"a bad annotation, by its path":  {one.Annotate(job.Nodes, "two"), []string{"metadata.annotations[tao.nvidia.com/nodes]"}},
		"staging that is not there yet":  {one.Annotate(job.Inputs, "s3://lab/x -> /x"), []string{"metadata.annotations[tao.nvidia.com/inputs]"}},
		"results that would be forgone":  {one.Annotate(job.Outputs, "/x"), []string{"metadata.annotations[tao.nvidia.com/outputs]"}},
		"all that is wrong, in one pass": {one.Annotate(job.Nodes, "0").Annotate(job.ShmSize, "big"), []string{"metadata.annotations[tao.nvidia.com/nodes]", "metadata.annotations[tao.nvidia.com/shm-size]"}},
	} {
		t.Run(name, func(t *testing.T) {
			result, errs := mutate.Mutate(tc.in.Obj(), mutate.Options{})
			if diff := cmp.Diff(tc.want, fields(errs)); diff != "" || result != nil {
				t.Errorf("result %v, errors (-want +got):\n%s", result, diff)
			}
		})
	}
}

func fields(errs field.ErrorList) []string {
	var paths []string
	for _, err := range errs {
		paths = append(paths, err.Field)
	}
	return paths
}

func TestWarnings(t *testing.T) {
	one := jobtest.New("train")
	for name, tc := range map[string]struct {
		in   jobtest.Job
		want string
	}{
		"a plain Job is worth no warning":      {one, ""},
		"a mistyped annotation is named":       {one.Annotate(job.Prefix+"node", "2"), "tao.nvidia.com/node means nothing"},
		"a generated name leaves no Secret":    {one.GenerateName("sweep-"), "no credentials Secret is injected"},
		"none for one that wants none":         {one.GenerateName("sweep-").Annotate(job.CredentialsSecret, "none"), ""},
		"several nodes keep the warning short": {one.GenerateName("sweep-").Annotate(job.Nodes, "2"), "no credentials Secret is injected"},
	} {
		t.Run(name, func(t *testing.T) {
			result, errs := mutate.Mutate(tc.in.Obj(), mutate.Options{NameSuffix: "abcde"})
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			got := strings.Join(result.Warnings, "\n")
			if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestRecordNamesWhatWasAdded(t *testing.T) {
	in := jobtest.New("train").Annotate(job.Nodes, "2").GPUs("8").Env("WORLD_SIZE", "16")
	result, errs := mutate.Mutate(in.Obj(), mutate.Options{})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	record := job.ReadRecord(result.Job.Annotations)
	want := job.Record{
		Name: "train", Job: []string{"completionMode", "completions", "parallelism", "backoffLimit"},
		Pod: []string{"restartPolicy", "subdomain", "volume tao-shm", "toleration nvidia.com/gpu"},
		Containers: map[string][]string{"tao": {
			"env NNODES", "env NPROC_PER_NODE", "env NUM_GPU_PER_NODE", "env NODE_RANK", "env MASTER_ADDR", "env MASTER_PORT", "env TAO_JOB_ID",
			"env PET_NNODES", "env PET_NPROC_PER_NODE", "env PET_NODE_RANK", "env PET_MASTER_ADDR", "env PET_MASTER_PORT",
			"envFrom tao-creds-train", "mount /dev/shm",
		}},
	}
	if diff := cmp.Diff(want, record); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// meddle is another webhook that runs between two passes of ours: it puts a
// container, a variable and a volume in front of all that is there.
func meddle(j *batchv1.Job) *batchv1.Job {
	j = j.DeepCopy()
	pod := &j.Spec.Template.Spec
	for i := range pod.Containers {
		pod.Containers[i].Env = append([]corev1.EnvVar{{Name: "MESH", Value: "on"}}, pod.Containers[i].Env...)
		pod.Containers[i].VolumeMounts = append([]corev1.VolumeMount{{Name: "mesh", MountPath: "/mesh"}}, pod.Containers[i].VolumeMounts...)
	}
	pod.Containers = append([]corev1.Container{{Name: "mesh-proxy", Image: "mesh:1"}}, pod.Containers...)
	pod.Volumes = append([]corev1.Volume{{Name: "mesh"}}, pod.Volumes...)
	return j
}

// FuzzMutate holds two properties for every Job that is accepted: a second
// pass changes nothing, and neither does one after another webhook ran.
func FuzzMutate(f *testing.F) {
	one := jobtest.New("train")
	for _, seed := range []jobtest.Job{
		one, one.GPUs("1"), one.Annotate(job.Nodes, "2").GPUs("8").Defaulted(), one.Indexed(4, 4),
		one.Env("MASTER_PORT", "1").Annotate(job.Nodes, "3"), one.GenerateName("sweep-").Annotate(job.Nodes, "2"),
		one.Memory("tao-shm", "1Gi").Mount("tao-shm", "/dev/shm/"), one.Container("b", "nvidia.com/gpu", "2"),
		one.Env("MASTER_ADDR", "$(X)").Env("A", "1").Env("A", "2").Annotate(job.Nodes, "2"),
	} {
		raw, err := json.Marshal(seed.Obj())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	opt := mutate.Options{Env: map[string]string{"NCCL_DEBUG": "WARN"}, ImagePullSecret: "ngc", NameSuffix: "abcde"}
	f.Fuzz(func(t *testing.T, raw []byte) {
		j := &batchv1.Job{}
		if json.Unmarshal(raw, j) != nil {
			return
		}
		first, errs := mutate.Mutate(j, opt)
		if len(errs) > 0 {
			return
		}
		same(t, "a second pass", first.Job, opt)
		between, errs := mutate.Mutate(meddle(first.Job), opt)
		if len(errs) > 0 {
			t.Fatalf("refused after another webhook: %v", errs)
		}
		if diff := cmp.Diff(meddle(first.Job), between.Job); diff != "" {
			t.Errorf("another webhook's work is changed (-theirs +ours):\n%s", diff)
		}
		same(t, "a pass after another webhook", between.Job, opt)
	})
}

func same(t *testing.T, when string, j *batchv1.Job, opt mutate.Options) {
	t.Helper()
	again, errs := mutate.Mutate(j, opt)
	if len(errs) > 0 {
		t.Fatalf("%s: refused: %v", when, errs)
	}
	if diff := cmp.Diff(j, again.Job); diff != "" {
		t.Errorf("%s changes the Job (-before +after):\n%s", when, diff)
	}
}
