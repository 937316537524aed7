package suite

import (
	"errors"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// denial is a Job that is refused, and what the answer says: the rule, where
// the fault is, the numbers and what to do about it.
type denial struct {
	edits []edit
	texts []string
}

func TestDenials(t *testing.T) {
	t.Parallel()
	for name, tc := range denials() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t)
			s.refused(manifest("refused", tc.edits...), append([]string{"apply"}, fromInput...), tc.texts...)
			s.none("jobs,services")
		})
	}
}

func denials() map[string]denial {
	cases := map[string]denial{
		"a credential in a variable": {
			[]edit{env("HF_TOKEN", canary)},
			[]string{"inline-credentials", `"train"`, "HF_TOKEN", "secretKeyRef"},
		},
		"a credential in the arguments": {
			[]edit{func(j *batchv1.Job) { container(j).Args = []string{"train", "--hf-token=" + canary} }},
			[]string{"inline-credentials", "spec.template.spec.containers[0].args[1]", `"train"`},
		},
		"a credential in an init container": {
			[]edit{func(j *batchv1.Job) {
				j.Spec.Template.Spec.InitContainers = []corev1.Container{{
					Name: "fetch", Image: "fetch", Env: []corev1.EnvVar{{Name: "HF_TOKEN", Value: canary}},
				}}
			}},
			[]string{"inline-credentials", "spec.template.spec.initContainers[0].env[0].value", `"fetch"`, "HF_TOKEN"},
		},
		"more GPUs than a node has": {
			[]edit{gpus(16)},
			[]string{
				"gpu-capacity", "spec.template.spec.containers[0].resources.limits", "nvidia.com/gpu: 16", "none fits",
				"eligible nodes: 3 of 3", "ask for fewer GPUs",
			},
		},
		"a number of nodes that is none": {
			[]edit{nodes("two")},
			[]string{"metadata.annotations[tao.nvidia.com/nodes]", "want a whole number from 1 to 100000"},
		},
		"two credentials and too many GPUs at once": {
			[]edit{gpus(16), env("HF_TOKEN", canary), env("WANDB_API_KEY", "3f1c9a7be2d80456f9a1c3e57b8d2046ac91e73d")},
			[]string{"inline-credentials", "HF_TOKEN", "WANDB_API_KEY", "gpu-capacity"},
		},
		"nodes that contradict the completions": {
			[]edit{nodes("2"), func(j *batchv1.Job) { j.Spec.Completions = ptr.To[int32](3) }},
			[]string{
				"multi-node-shape", "metadata.annotations[tao.nvidia.com/nodes]", "asks for 2 nodes, but completions is 3",
				"leave out completions",
			},
		},
		// The API server checks an Indexed Job's name itself, before it asks the rules.
		"a name too long for its pods": {
			[]edit{nodes("2"), func(j *batchv1.Job) { j.Name = strings.Repeat("a", 62) }},
			[]string{"metadata.name", "has 62 characters", "at most 61 fit"},
		},
		"pods that the Service would not find": {
			[]edit{nodes("2"), selecting("app", "a")},
			[]string{"spec.manualSelector", "pods lack the label job-name"},
		},
		"more nodes than there are": {
			[]edit{nodes("3"), gpus(8)},
			[]string{"gpu-capacity", "3 pods are needed", "only 2 can be placed", "train on at most 2 nodes"},
		},
	}
	if old() {
		cases["two nodes on an old cluster"] = denial{[]edit{nodes("2")}, []string{
			"multi-node-version", "metadata.annotations[tao.nvidia.com/nodes]", "asks for 2 nodes on Kubernetes 1.27", "upgrade the cluster",
		}}
	}
	return cases
}

func TestAServiceInTheWayIsNamed(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.do("", "create", "service", "clusterip", "taken", "--tcp=80")
	dryRun := append(slices.Clone(create), "--dry-run=server")
	s.eventually("the webhook knows of the Service", func() error {
		if r := s.kubectl(manifest("taken", nodes("2")), dryRun...); !strings.Contains(r.out, "Service") {
			return errors.New(r.out)
		}
		return nil
	})
	s.refused(manifest("taken", nodes("2")), create, "multi-node-shape", "metadata.name",
		`a Service named "taken" is already there`, "is not headless", "delete that Service")
	s.none("jobs")
}

func TestAHeadlessServiceOfTheUsersIsFine(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	apply := append([]string{"apply"}, fromInput...)
	own := `{"apiVersion":"v1","kind":"Service","metadata":{"name":"own"},"spec":{"clusterIP":"None","selector":{"job-name":"own"},"ports":[{"port":1}]}}`
	s.do(own, apply...)
	if old() {
		s.refused(manifest("own", nodes("2")), apply, "multi-node-version")
		return
	}
	s.do(manifest("own", nodes("2")), apply...)
	s.do(manifest("other", nodes("2")), apply...)
	s.service("other", isThere) // a later Job's is there, so the first one was looked at
	service := s.service("own", isThere)
	if len(service.OwnerReferences) > 0 || service.Spec.Ports[0].Port != 1 {
		t.Errorf("the user's Service was changed: %+v", service)
	}
}

// TestAWarningIsNoDenial has something else decide when the Job starts.
func TestAWarningIsNoDenial(t *testing.T) {
	t.Parallel()
	for name, later := range map[string]edit{
		"a suspended Job":  func(j *batchv1.Job) { j.Spec.Suspend = ptr.To(true) },
		"a Job in a queue": func(j *batchv1.Job) { j.Labels["kueue.x-k8s.io/queue-name"] = "team-a" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t)
			out := s.apply(manifest("later", gpus(16), later))
			s.contains(out, "Warning: ", "gpu-capacity", "nvidia.com/gpu: 16", "only a warning", "job.batch/later created")
		})
	}
}

// TestWarnings are about Jobs that run, and most likely not as they should.
func TestWarnings(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		edits []edit
		texts []string
	}{
		"a number of processes where TAO wants nodes": {
			[]edit{env("WORLD_SIZE", "16")}, []string{"rendezvous-conflict", `"train"`, "WORLD_SIZE is 16", "number of nodes, which is 1", "leave the variable out"},
		},
		"results where nothing is mounted": {
			[]edit{annotation("results-dir", "/results")},
			[]string{"results-persistence", `"train"`, "no volume is mounted", "mount a PersistentVolumeClaim"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t)
			s.contains(s.apply(manifest("warned", tc.edits...)), append(tc.texts, "Warning: ", "job.batch/warned created")...)
		})
	}
}

func TestUnlabelledJobsAreNotJudged(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.do(manifest("plain", unlabelled, gpus(16), nodes("two"), env("HF_TOKEN", "hf_AnotherTokenThatIsNotTheCanary0123")), slices.Concat([]string{"create"}, fromInput)...)
	j := s.job("plain")
	if len(container(j).Env) != 1 || len(j.Spec.Template.Spec.Volumes) > 0 {
		t.Errorf("something was injected: %+v", j.Spec.Template.Spec)
	}
}

func TestAMistypedAnnotationIsWarnedOf(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.contains(s.apply(manifest("typo", annotation("node", "2"))), "Warning: ", "is tao.nvidia.com/nodes meant?", "job.batch/typo created")
}
