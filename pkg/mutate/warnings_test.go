package mutate_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/job/jobtest"
	"github.com/taojob/taojob/pkg/mutate"
)

// canary is a text that no warning may hold.
const canary = "hf_kanarienvogel"

func TestWarnings(t *testing.T) {
	one := jobtest.New("train")
	own := one.Memory("scratch", "8Gi").Mount("scratch", "/dev/shm").Annotate(job.ShmSize, "4Gi")
	opt := mutate.Options{NameSuffix: "abcde", Env: map[string]string{"NCCL_DEBUG": "WARN"}}
	two := one.Annotate(job.Nodes, "2")
	rings := func(p *corev1.PodSpec) { p.Subdomain = "rings" }
	claim := one.Trainer(func(c *corev1.Container) { c.Resources.Claims = []corev1.ResourceClaim{{Name: "gpu"}} })
	for name, tc := range map[string]struct {
		in   jobtest.Job
		want string
	}{
		"a plain Job is worth no warning":      {one, ""},
		"a mistyped annotation is told":        {one.Annotate(job.Prefix+"node", "2"), "an annotation under tao.nvidia.com/ means nothing to taojob and is ignored; is tao.nvidia.com/nodes meant?"},
		"an annotation like no other as well":  {one.Annotate(job.Prefix+canary, "2"), "is ignored; there are only nodes, containers, gpus-per-node"},
		"a generated name leaves no Secret":    {one.GenerateName("sweep-"), "no credentials Secret is injected"},
		"none for one that wants none":         {one.GenerateName("sweep-").Annotate(job.CredentialsSecret, "none"), ""},
		"several nodes keep the warning short": {one.GenerateName("sweep-").Annotate(job.Nodes, "2"), "no credentials Secret is injected"},

		"a size for a mount of the author's has no effect":  {own, `annotation tao.nvidia.com/shm-size has no effect on container "tao": it mounts something at /dev/shm itself`},
		"a size beside the host's shared memory neither":    {one.Annotate(job.ShmSize, "4Gi").Pod(func(p *corev1.PodSpec) { p.HostIPC = true }), "the pod uses the host's shared memory"},
		"a size for ours is worth none":                     {one.Annotate(job.ShmSize, "4Gi"), ""},
		"a port that a variable contradicts":                {one.Annotate(job.MasterPort, "1234").Env("MASTER_PORT", "23456"), "annotation tao.nvidia.com/master-port has no effect on container \"tao\": its variable MASTER_PORT says otherwise"},
		"a port that a variable repeats is worth none":      {one.Annotate(job.MasterPort, " 1234 ").Env("MASTER_PORT", "1234"), ""},
		"a port that is not known yet, too":                 {one.Annotate(job.MasterPort, "1234").Env("P", "1").Env("MASTER_PORT", "$(P)"), ""},
		"an address made of itself":                         {one.Env("MASTER_ADDR", canary+"-$(MASTER_ADDR)"), `variable MASTER_ADDR of container "tao" refers to itself`},
		"a default of the cluster, made of itself":          {one.Env("NCCL_DEBUG", "$(NCCL_DEBUG),X"), "variable NCCL_DEBUG"},
		"made of an earlier one of that name is worth none": {one.Env("MASTER_ADDR", "a").Env("MASTER_ADDR", "b-$(MASTER_ADDR)"), ""},
		"so is the text itself":                             {one.Env("MASTER_ADDR", "$$(MASTER_ADDR)"), ""},
		"and a variable that is none of ours":               {one.Env("PATH", "/x:$(PATH)"), ""},
		"devices without a number":                          {claim, `container "tao" claims devices whose number is not known`},
		"devices with one are worth none":                   {claim.Annotate(job.GPUsPerNode, "8"), ""},
		"nor are processes that the author counted":         {claim.Env("NPROC_PER_NODE", "4"), ""},
		"pods that only a Service of the author's finds":    {two.With(byHand("app", "a")).Pod(rings), "spec.manualSelector: with it, pods lack the label job-name"},
		"a label with the Job's name is worth none":         {two.With(byHand("job-name", "train")), ""},
		"and one node needs none":                           {one.With(byHand("app", "a")), ""},
		"nor devices beside GPUs":                           {claim.GPUs("8"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			result, errs := mutate.Mutate(tc.in.Obj(), opt)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			again, errs := mutate.Mutate(result.Job, opt)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			if diff := cmp.Diff(result.Warnings, again.Warnings); diff != "" {
				t.Errorf("a second pass says something else: %s", diff)
			}
			got := strings.Join(result.Warnings, "\n")
			if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if strings.Contains(got, canary) {
				t.Error("what the author wrote is printed")
			}
		})
	}
}
