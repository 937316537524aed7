package suite

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/taojob/taojob/e2e/cluster"
	"github.com/taojob/taojob/e2e/webhook"
)

// edit changes a Job before it is written as a manifest.
type edit func(*batchv1.Job)

// newJob is a labelled Job of one container that asks for one GPU.
func newJob(name string, edits ...edit) *batchv1.Job {
	j := webhook.Job(name)
	j.TypeMeta = metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"}
	gpus(1)(j)
	for _, e := range edits {
		e(j)
	}
	return j
}

// manifest is newJob as a person would write it: without the fields that have
// no value.
func manifest(name string, edits ...edit) string { return encode(newJob(name, edits...)) }

func encode(object any) string {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		panic(err)
	}
	delete(fields, "status")
	raw, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func cronJob(name, schedule string, edits ...edit) string {
	j := newJob("", edits...)
	return encode(&batchv1.CronJob{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "CronJob"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: batchv1.CronJobSpec{Schedule: schedule, JobTemplate: batchv1.JobTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: j.Labels, Annotations: j.Annotations},
			Spec:       j.Spec,
		}},
	})
}

func gpus(n int64) edit {
	return func(j *batchv1.Job) {
		container(j).Resources.Limits = corev1.ResourceList{cluster.GPU: *resource.NewQuantity(n, resource.DecimalSI)}
	}
}

func nodes(n string) edit { return annotation("nodes", n) }

func annotation(key, value string) edit {
	return func(j *batchv1.Job) {
		if j.Annotations == nil {
			j.Annotations = map[string]string{}
		}
		j.Annotations["tao.nvidia.com/"+key] = value
	}
}

func env(name, value string) edit {
	return func(j *batchv1.Job) {
		c := container(j)
		c.Env = append(c.Env, corev1.EnvVar{Name: name, Value: value})
	}
}

func unlabelled(j *batchv1.Job) { j.Labels = nil }

func container(j *batchv1.Job) *corev1.Container { return &j.Spec.Template.Spec.Containers[0] }

// example reads a manifest of the repository's examples.
func example(t *testing.T, name string) string {
	t.Helper()
	root, err := webhook.Root()
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(root, "examples", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// wantEnv are the variables of a training container, injected ones first. A
// value that starts with @ is the path of a field of the pod.
func checkEnv(t *testing.T, c *corev1.Container, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for _, e := range c.Env {
		if _, twice := got[e.Name]; twice {
			t.Errorf("%s is there twice", e.Name)
		}
		got[e.Name] = e.Value
		if e.ValueFrom != nil && e.ValueFrom.FieldRef != nil {
			got[e.Name] = "@" + e.ValueFrom.FieldRef.FieldPath
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the variables of container %s (-want +got):\n%s", c.Name, diff)
	}
}

// oneNode are the variables of a run on one node.
func oneNode(job string, gpus int) map[string]string {
	return map[string]string{
		"NNODES": "1", "NPROC_PER_NODE": strconv.Itoa(gpus), "NUM_GPU_PER_NODE": strconv.Itoa(gpus),
		"NODE_RANK": "0", "MASTER_ADDR": "localhost", "MASTER_PORT": "29500", "TAO_JOB_ID": job,
	}
}

// twoNodes are those of a run on two, with those that torchrun reads.
func twoNodes(job string, gpus int) map[string]string {
	want := oneNode(job, gpus)
	maps.Copy(want, map[string]string{
		"NNODES": "2", "WORLD_SIZE": "2", "NODE_RANK": "@metadata.annotations['batch.kubernetes.io/job-completion-index']",
		"MASTER_ADDR": job + "-0." + job,
	})
	for _, name := range []string{"NNODES", "NPROC_PER_NODE", "NODE_RANK", "MASTER_ADDR", "MASTER_PORT"} {
		want["PET_"+name] = want[name]
	}
	return want
}

// checkInjected compares all that a Job got beside its variables.
func checkInjected(t *testing.T, j *batchv1.Job, secret string) {
	t.Helper()
	pod := &j.Spec.Template.Spec
	c := container(j)
	if !slices.ContainsFunc(pod.Volumes, func(v corev1.Volume) bool {
		return v.Name == "tao-shm" && v.EmptyDir != nil && v.EmptyDir.Medium == corev1.StorageMediumMemory && v.EmptyDir.SizeLimit.String() == "16Gi"
	}) {
		t.Errorf("no volume of shared memory: %v", pod.Volumes)
	}
	if !slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == "tao-shm" && m.MountPath == "/dev/shm" }) {
		t.Errorf("shared memory is not mounted: %v", c.VolumeMounts)
	}
	if len(c.EnvFrom) != 1 || c.EnvFrom[0].SecretRef == nil || c.EnvFrom[0].SecretRef.Name != secret {
		t.Errorf("credentials come from %v, want Secret %s", c.EnvFrom, secret)
	}
	if !slices.ContainsFunc(pod.Tolerations, func(t corev1.Toleration) bool {
		return t.Key == string(cluster.GPU) && t.Operator == corev1.TolerationOpExists && t.Effect == corev1.TaintEffectNoSchedule
	}) {
		t.Errorf("the taint of GPU nodes is not tolerated: %v", pod.Tolerations)
	}
	if pod.RestartPolicy != corev1.RestartPolicyNever {
		t.Errorf("restartPolicy is %s", pod.RestartPolicy)
	}
	if !strings.HasPrefix(j.Annotations["tao.nvidia.com/injected"], "{") {
		t.Errorf("no record of what was injected: %v", j.Annotations)
	}
}
