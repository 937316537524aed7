package mutate_test

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
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
		"a name too long for its pods":   {jobtest.New(strings.Repeat("a", 62)).Annotate(job.Nodes, "2"), []string{"metadata.name"}},
		"a name too long for 11 pods":    {jobtest.New(strings.Repeat("a", 61)).Annotate(job.Nodes, "11"), []string{"metadata.name"}},
		"a name too long for a Service":  {jobtest.New(strings.Repeat("1", 60)).Annotate(job.Nodes, "2"), []string{"metadata.name"}},
		"a name that no host can have":   {jobtest.New("a.b").Annotate(job.Nodes, "2"), []string{"metadata.name"}},
		"a prefix that no host can have": {one.GenerateName("a.b-").Annotate(job.Nodes, "2"), []string{"metadata.generateName"}},
		"memory without a unit":          {one.Limit("memory", "64"), []string{"spec.template.spec.containers[0].resources.limits[memory]"}},
		"memory of a byte and a half":    {one.Limit("memory", "1500m"), []string{"spec.template.spec.containers[0].resources.limits[memory]"}},
		"that of the second trainer":     {one.Container("b", "memory", "3").Annotate(job.Containers, "tao,b"), []string{"spec.template.spec.containers[1].resources.limits[memory]"}},
		"that of the whole pod":          {one.Pod(podMemory("1Ki")), []string{"spec.template.spec.resources.limits[memory]"}},
		"pods that no Service finds":     {jobtest.New("train").Annotate(job.Nodes, "2").With(byHand("app", "a")), []string{"spec.manualSelector"}},
		"pods with another Job's name":   {jobtest.New("train").Annotate(job.Nodes, "2").With(byHand("job-name", "a")), []string{"spec.manualSelector"}},
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

func TestLongNamesThatFit(t *testing.T) {
	longest := jobtest.New(strings.Repeat("a", 61)).Annotate(job.Nodes, "2")
	subdomain := jobtest.New(strings.Repeat("1", 60)).Annotate(job.Nodes, "2").Pod(func(p *corev1.PodSpec) { p.Subdomain = "rings" })
	for name, in := range map[string]jobtest.Job{
		"61 characters and an index": longest, "one node": jobtest.New("a.b"), "a digit first, and a subdomain": subdomain,
		"a subdomain that ends like the Job": longest.Pod(func(p *corev1.PodSpec) { p.Subdomain = "x" + strings.Repeat("a", 61) }),
	} {
		if _, errs := mutate.Mutate(in.Obj(), mutate.Options{}); len(errs) > 0 {
			t.Errorf("%s: %v", name, errs)
		}
	}
}

// byHand lets a Job select its pods by a label of their template.
func byHand(key, value string) func(*batchv1.Job) {
	return func(j *batchv1.Job) {
		labels := map[string]string{key: value}
		j.Spec.ManualSelector, j.Spec.Selector, j.Spec.Template.Labels = ptr.To(true), &metav1.LabelSelector{MatchLabels: labels}, labels
	}
}

func podMemory(limit string) func(*corev1.PodSpec) {
	return func(p *corev1.PodSpec) {
		p.Resources = &corev1.ResourceRequirements{Limits: corev1.ResourceList{"memory": resource.MustParse(limit)}}
	}
}

// Whatever the prefix, the names that are made of it are DNS labels.
func TestGeneratedNamesFit(t *testing.T) {
	for _, nodes := range []string{"2", "11", "1000"} {
		for length := 1; length <= 80; length++ {
			for _, letter := range []string{"a", "1"} {
				fits(t, jobtest.New("").GenerateName(strings.Repeat(letter, length)).Annotate(job.Nodes, nodes))
			}
		}
	}
}

func fits(t *testing.T, in jobtest.Job) {
	t.Helper()
	result, errs := mutate.Mutate(in.Obj(), mutate.Options{NameSuffix: "abcde"})
	if len(errs) > 0 {
		t.Fatalf("%s: %v", in.Obj().GenerateName, errs)
	}
	last := result.Job.Name + "-" + strconv.Itoa(int(result.Training.Nodes-1))
	if !strings.HasSuffix(result.Job.Name, "abcde") || len(validation.IsDNS1123Label(last)) > 0 || len(validation.IsDNS1035Label(result.Training.Service)) > 0 {
		t.Errorf("last pod %q, Service %q", last, result.Training.Service)
	}
}

func fields(errs field.ErrorList) []string {
	var paths []string
	for _, err := range errs {
		paths = append(paths, err.Field)
	}
	return paths
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

// fuzzed builds a Job of what a fuzzer can vary; an empty string leaves a
// thing out, and the bits of flags turn the rest on.
func fuzzed(name, nodes, shm, containers, env, value, mount, volume string, completions, parallelism int32, flags uint16) jobtest.Job {
	on := func(bit int) bool { return flags&(1<<bit) != 0 }
	j := jobtest.New(name).Runs(completions, parallelism)
	for key, annotation := range map[string]string{job.Nodes: nodes, job.ShmSize: shm, job.Containers: containers} {
		if annotation != "" {
			j = j.Annotate(key, annotation)
		}
	}
	for i, step := range []func(jobtest.Job) jobtest.Job{
		func(j jobtest.Job) jobtest.Job { return j.Indexed(completions, parallelism) },
		func(j jobtest.Job) jobtest.Job { return j.GenerateName(name) },
		func(j jobtest.Job) jobtest.Job { return j.GPUs("8") },
		func(j jobtest.Job) jobtest.Job { return j.Container("b", "nvidia.com/mig-1g.5gb", "2") },
		func(j jobtest.Job) jobtest.Job { return j.Env(env, value) },
		func(j jobtest.Job) jobtest.Job { return j.Env(env, "$("+value+")") },
		func(j jobtest.Job) jobtest.Job { return j.EnvField(env, value) },
		func(j jobtest.Job) jobtest.Job { return j.Memory(volume, "1Gi").Mount(volume, mount) },
		func(j jobtest.Job) jobtest.Job { return j.Limit("memory", "3Gi") },
		func(j jobtest.Job) jobtest.Job { return j.EnvFromSecret(value, false) },
		func(j jobtest.Job) jobtest.Job { return j.Pod(func(p *corev1.PodSpec) { p.HostNetwork = true }) },
		func(j jobtest.Job) jobtest.Job { return j.Pod(func(p *corev1.PodSpec) { p.Subdomain = value }) },
		func(j jobtest.Job) jobtest.Job { return j.Annotate(job.Injected, value) },
		func(j jobtest.Job) jobtest.Job { return j.Annotate(job.CredentialsSecret, value) },
		jobtest.Job.Defaulted,
	} {
		if on(i) {
			j = step(j)
		}
	}
	return j
}

// FuzzMutate holds three properties for every Job that is accepted: a second
// pass changes nothing, neither does one after another webhook ran, and an
// update that lost our fields gets them all back.
func FuzzMutate(f *testing.F) {
	f.Add("train", "2", "1Gi", "tao", "MASTER_PORT", "23456", "/dev/shm/", "tao-shm", int32(1), int32(1), uint16(0b0_0000_0001_0111))
	f.Add("train", "", "", "", "NNODES", "4", "/data", "data", int32(4), int32(4), uint16(0b100_0000_0001_0101))
	f.Add("3d", "3", "", "b,tao", "MASTER_ADDR", "HOST", "/dev", "v", int32(3), int32(1), uint16(0b100_1101_1010_1000))
	f.Add("sweep-", "2", "", "", "WORLD_SIZE", "tao-creds-sweep-", "/dev/shm", "tao-shm", int32(0), int32(7), uint16(0b111_0110_1100_0110))
	opt := mutate.Options{Env: map[string]string{"NCCL_DEBUG": "WARN"}, ImagePullSecret: "ngc", NameSuffix: "abcde"}
	f.Fuzz(func(t *testing.T, name, nodes, shm, containers, env, value, mount, volume string, completions, parallelism int32, flags uint16) {
		j := fuzzed(name, nodes, shm, containers, env, value, mount, volume, completions, parallelism, flags).Obj()
		first, errs := mutate.Mutate(j, opt)
		if len(errs) > 0 || !utf8.ValidString(name) { // a decoded Job is valid UTF-8
			return
		}
		same(t, "a second pass", first.Job, opt)
		if diff := cmp.Diff(meddle(first.Job), mutated(t, meddle(first.Job), opt)); diff != "" {
			t.Errorf("another webhook's work is changed (-theirs +ours):\n%s", diff)
		}
		plain := j.DeepCopy()
		plain.Name = first.Job.Name
		if diff := cmp.Diff(first.Job, mutate.Restore(first.Job, plain)); diff != "" {
			t.Errorf("an update loses (-stored +restored):\n%s", diff)
		}
	})
}

func mutated(t *testing.T, j *batchv1.Job, opt mutate.Options) *batchv1.Job {
	t.Helper()
	result, errs := mutate.Mutate(j, opt)
	if len(errs) > 0 {
		t.Fatalf("refused: %v", errs)
	}
	return result.Job
}

func same(t *testing.T, when string, j *batchv1.Job, opt mutate.Options) {
	t.Helper()
	if diff := cmp.Diff(j, mutated(t, j, opt)); diff != "" {
		t.Errorf("%s changes the Job (-before +after):\n%s", when, diff)
	}
}
