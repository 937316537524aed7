package job_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/job/jobtest"
)

func TestNodes(t *testing.T) {
	one := jobtest.New("train")
	for name, tc := range map[string]struct {
		in    jobtest.Job
		nodes int32
		array bool
	}{
		"a bare Job is one node":                                          {one, 1, false},
		"the API server's defaults read like a bare Job":                  {one.Defaulted(), 1, false},
		"the annotation counts":                                           {one.Annotate(job.Nodes, "2"), 2, false},
		"blanks around the number do no harm":                             {one.Annotate(job.Nodes, " 2 "), 2, false},
		"an Indexed Job whose pods all run at once is one run":            {one.Indexed(4, 4), 4, false},
		"an Indexed Job with fewer pods at once is an array":              {one.Indexed(4, 2), 1, true},
		"an Indexed Job with one pod at once is an array":                 {one.Indexed(4, 1), 1, true},
		"a NonIndexed Job is an array":                                    {one.Runs(4, 4), 1, true},
		"a work queue is an array":                                        {one.With(func(j *batchv1.Job) { j.Spec.Parallelism = new(int32(3)) }), 1, true},
		"one node by annotation makes an array of a wide Indexed Job":     {one.Indexed(4, 4).Annotate(job.Nodes, "1"), 1, true},
		"an Indexed Job of one pod is one node":                           {one.Indexed(1, 1), 1, false},
		"an Indexed Job that is scaled to nothing is one node":            {one.Indexed(0, 0), 1, false},
		"the annotation counts where the numbers agree with it":           {one.Indexed(2, 2).Annotate(job.Nodes, "2"), 2, false},
		"the annotation counts where the numbers contradict: a rule says": {one.Indexed(4, 4).Annotate(job.Nodes, "2"), 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, errs := job.Read(tc.in.Obj())
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			if got.Nodes != tc.nodes || got.Array != tc.array {
				t.Errorf("nodes %d, array %t; want %d, %t", got.Nodes, got.Array, tc.nodes, tc.array)
			}
		})
	}
}

func TestContainersAndGPUs(t *testing.T) {
	bare := jobtest.New("train")
	claim := func(c *corev1.Container) { c.Resources.Claims = []corev1.ResourceClaim{{Name: "gpu"}} }
	for name, tc := range map[string]struct {
		in         jobtest.Job
		containers []string
		gpus       int32
	}{
		"the first container trains when none asks for a GPU":  {bare.Container("log", "cpu", "1"), []string{"tao"}, 0},
		"the one that asks for a GPU trains":                   {bare.Container("work", "nvidia.com/gpu", "4"), []string{"work"}, 4},
		"several that ask train, and their GPUs add up":        {bare.GPUs("2").Container("b", "nvidia.com/gpu", "4"), []string{"tao", "b"}, 6},
		"a claim is asking, without a number":                  {bare.Container("b", "", "").Trainer(claim), []string{"tao"}, 0},
		"the annotation gives the number of a claim":           {bare.Trainer(claim).Annotate(job.GPUsPerNode, "8"), []string{"tao"}, 8},
		"zero GPUs by annotation is a run on CPUs":             {bare.GPUs("2").Annotate(job.GPUsPerNode, "0"), []string{"tao"}, 0},
		"any nvidia.com resource is asking, only GPUs count":   {bare.Container("b", "nvidia.com/rdma", "1"), []string{"b"}, 0},
		"MIG slices count":                                     {bare.Limit("nvidia.com/mig-1g.10gb", "3"), []string{"tao"}, 3},
		"shared GPUs count":                                    {bare.Limit("nvidia.com/gpu.shared", "2"), []string{"tao"}, 2},
		"GPUs of other makers are not ours":                    {bare.Limit("amd.com/gpu", "2"), []string{"tao"}, 0},
		"the annotation names the training containers":         {bare.GPUs("1").Container("b", "", "").Annotate(job.Containers, "b"), []string{"b"}, 0},
		"named ones come in pod order":                         {bare.Container("b", "", "").Annotate(job.Containers, "b, tao"), []string{"tao", "b"}, 0},
		"the record of injection outlives a sidecar put first": {bare.Annotate(job.Injected, `{"containers":{"tao":[]}}`).Pod(sidecarFirst), []string{"tao"}, 0},
		"a record of containers that are gone does not count":  {bare.Annotate(job.Injected, `{"containers":{"gone":[]}}`).GPUs("1"), []string{"tao"}, 1},
		"a record that is none does not count":                 {bare.Annotate(job.Injected, "yes"), []string{"tao"}, 0},
		"an absurd count saturates instead of wrapping around": {bare.GPUs("9223372036854775807"), []string{"tao"}, 1<<31 - 1},
	} {
		t.Run(name, func(t *testing.T) {
			got, errs := job.Read(tc.in.Obj())
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			if diff := cmp.Diff(tc.containers, got.Containers); diff != "" || got.GPUsPerNode != tc.gpus {
				t.Errorf("%d GPUs, want %d; containers (-want +got):\n%s", got.GPUsPerNode, tc.gpus, diff)
			}
		})
	}
}

func sidecarFirst(p *corev1.PodSpec) {
	p.Containers = append([]corev1.Container{{Name: "mesh"}}, p.Containers...)
}

func TestNames(t *testing.T) {
	two := jobtest.New("train").Annotate(job.Nodes, "2")
	subdomain := func(p *corev1.PodSpec) { p.Subdomain = "rings" }
	for name, tc := range map[string]struct {
		in              jobtest.Job
		service, master string
	}{
		"one node meets itself":                            {jobtest.New("train"), "", "localhost"},
		"the Service has the Job's name":                   {two, "train", "train-0.train"},
		"the author's subdomain wins":                      {two.Pod(subdomain), "rings", "train-0.rings"},
		"a leading digit gets a prefix in the Service":     {jobtest.New("3d-dino").Annotate(job.Nodes, "2"), "tao-3d-dino", "3d-dino-0.tao-3d-dino"},
		"a name that is to be generated leaves both short": {two.GenerateName("sweep-"), "", "-0."},
	} {
		t.Run(name, func(t *testing.T) {
			got, errs := job.Read(tc.in.Obj())
			if len(errs) > 0 || got.Service != tc.service || got.MasterAddr != tc.master {
				t.Errorf("service %q, master %q, errors %v; want %q, %q", got.Service, got.MasterAddr, errs, tc.service, tc.master)
			}
		})
	}
}

func TestCredentials(t *testing.T) {
	one := jobtest.New("train")
	owned := func(j *batchv1.Job) {
		j.OwnerReferences = []metav1.OwnerReference{{Kind: "CronJob", Name: "weekly", Controller: new(true)}}
	}
	byHand := func(j *batchv1.Job) {
		j.OwnerReferences = []metav1.OwnerReference{{Kind: "CronJob", Name: "weekly"}}
	}
	for name, tc := range map[string]struct {
		in   jobtest.Job
		want job.Credentials
	}{
		"the default has the Job's name and may be missing":        {one, job.Credentials{Secret: "tao-creds-train", Optional: true}},
		"a named Secret must be there":                             {one.Annotate(job.CredentialsSecret, "team"), job.Credentials{Secret: "team"}},
		"none is none":                                             {one.Annotate(job.CredentialsSecret, "none"), job.Credentials{}},
		"the Jobs of a CronJob share one":                          {one.With(owned), job.Credentials{Secret: "tao-creds-weekly", Optional: true}},
		"so does one that an old kubectl made by hand":             {one.With(byHand), job.Credentials{Secret: "tao-creds-weekly", Optional: true}},
		"a generated name has no default":                          {one.GenerateName("sweep-"), job.Credentials{}},
		"a generated name has none once it is known, either":       {one.GenerateName("sweep-").With(func(j *batchv1.Job) { j.Name = "sweep-x" }), job.Credentials{}},
		"a named Secret counts with a generated name":              {one.GenerateName("sweep-").Annotate(job.CredentialsSecret, "team"), job.Credentials{Secret: "team"}},
		"the Jobs of something else have the default of their own": {one.With(ownedByOther), job.Credentials{Secret: "tao-creds-train", Optional: true}},
	} {
		t.Run(name, func(t *testing.T) {
			got, errs := job.Read(tc.in.Obj())
			if diff := cmp.Diff(tc.want, got.Credentials); diff != "" || len(errs) > 0 {
				t.Errorf("errors %v (-want +got):\n%s", errs, diff)
			}
		})
	}
}

func ownedByOther(j *batchv1.Job) {
	j.OwnerReferences = []metav1.OwnerReference{{Kind: "Workflow", Name: "w", Controller: new(true)}}
}

func TestSettings(t *testing.T) {
	one := jobtest.New("train")
	for name, tc := range map[string]struct {
		in    jobtest.Job
		check func(*job.Training) any
		want  any
	}{
		"the port is torchrun's":                         {one, masterPort, int32(29500)},
		"the annotation sets the port":                   {one.Annotate(job.MasterPort, "1234"), masterPort, int32(1234)},
		"the author's variable is what the process sees": {one.Env("MASTER_PORT", "23456").Annotate(job.MasterPort, "1234"), masterPort, int32(23456)},
		"of doubled variables the last counts":           {one.Env("MASTER_PORT", "1").Env("MASTER_PORT", "2"), masterPort, int32(2)},
		"a variable read from elsewhere has no number":   {one.EnvField("MASTER_PORT", "metadata.labels['p']"), masterPort, int32(29500)},
		"a variable that refers to another has none":     {one.Env("MASTER_PORT", "$(P)"), masterPort, int32(29500)},
		"results may go to a path":                       {one.Annotate(job.ResultsDir, "/results"), resultsDir, "/results"},
		"results may go to a bucket":                     {one.Annotate(job.ResultsDir, "s3://lab/results"), resultsDir, "s3://lab/results"},
		"a queue is read":                                {one.Label("kueue.x-k8s.io/queue-name", "team"), func(t *job.Training) any { return t.Queue }, "team"},
		"mistyped annotations are listed":                {one.Annotate(job.Prefix+"node", "2"), func(t *job.Training) any { return strings.Join(t.Unknown, " ") }, job.Prefix + "node"},
		"a suspended Job is read":                        {one.With(func(j *batchv1.Job) { j.Spec.Suspend = new(true) }), func(t *job.Training) any { return t.Suspended }, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, errs := job.Read(tc.in.Obj())
			if diff := cmp.Diff(tc.want, tc.check(got)); diff != "" || len(errs) > 0 {
				t.Errorf("errors %v (-want +got):\n%s", errs, diff)
			}
		})
	}
}

func masterPort(t *job.Training) any { return t.MasterPort }
func resultsDir(t *job.Training) any { return t.ResultsDir }

func TestTransfers(t *testing.T) {
	in := jobtest.New("train").
		Annotate(job.Inputs, "s3://lab/sets/coco -> /data/coco\n\n  s3://lab->/all  \n").
		Annotate(job.Outputs, "/results -> s3://lab/out/\n/logs")
	got, errs := job.Read(in.Obj())
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	want := []job.Transfer{
		{Bucket: "lab", Key: "sets/coco", Path: "/data/coco"}, {Bucket: "lab", Path: "/all"},
		{Bucket: "lab", Key: "out/", Path: "/results"}, {Path: "/logs"},
	}
	if diff := cmp.Diff(want, append(got.Inputs, got.Outputs...)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRefused(t *testing.T) {
	const canary = "c4n4ry-s3cret"
	one := jobtest.New("train").Limit("memory", "8Gi")
	at := func(key string) string { return "metadata.annotations[" + key + "]" }
	for name, tc := range map[string]struct {
		in   jobtest.Job
		path string
		says string
	}{
		"nodes that is no number":           {one.Annotate(job.Nodes, canary), at(job.Nodes), "whole number from 1 to 100000"},
		"nodes that is empty":               {one.Annotate(job.Nodes, ""), at(job.Nodes), "whole number"},
		"no nodes at all":                   {one.Annotate(job.Nodes, "0"), at(job.Nodes), "0 is out of range"},
		"a negative count":                  {one.Annotate(job.Nodes, "-2"), at(job.Nodes), "out of range"},
		"a count with a sign":               {one.Annotate(job.Nodes, "+2"), at(job.Nodes), "whole number"},
		"a count with a zero before":        {one.Annotate(job.Nodes, "02"), at(job.Nodes), "whole number"},
		"a port with a zero before":         {one.Annotate(job.MasterPort, "029500"), at(job.MasterPort), "whole number"},
		"no GPUs, with a sign":              {one.Annotate(job.GPUsPerNode, "-0"), at(job.GPUsPerNode), "whole number"},
		"half a node":                       {one.Annotate(job.Nodes, "1.5"), at(job.Nodes), "whole number"},
		"more nodes than Kubernetes allows": {one.Annotate(job.Nodes, "100001"), at(job.Nodes), "out of range"},
		"more than a number holds":          {one.Annotate(job.Nodes, "99999999999999999999"), at(job.Nodes), "whole number"},
		"a port that is none":               {one.Annotate(job.MasterPort, "70000"), at(job.MasterPort), "from 1 to 65535"},
		"a size without a number":           {one.Annotate(job.ShmSize, canary), at(job.ShmSize), "such as 8Gi"},
		"a size without a unit":             {one.Annotate(job.ShmSize, "16"), at(job.ShmSize), "at least 1Mi"},
		"more shared memory than memory":    {one.Annotate(job.ShmSize, "16Gi"), at(job.ShmSize), "memory limit 8Gi"},
		"more than the whole pod may use":   {one.Annotate(job.ShmSize, "7Gi").Pod(podLimit("6Gi")), at(job.ShmSize), "memory limit 6Gi"},
		"a container that is not there":     {one.Annotate(job.Containers, "tao,"+canary), at(job.Containers), "list of tao"},
		"an empty list of containers":       {one.Annotate(job.Containers, ""), at(job.Containers), "list of tao"},
		"a Secret that can have no such name": {one.Annotate(job.CredentialsSecret, "AKIA_"+canary), at(job.CredentialsSecret),
			"name of a Secret"},
		"an empty Secret name":                       {one.Annotate(job.CredentialsSecret, ""), at(job.CredentialsSecret), "or none"},
		"a relative results path":                    {one.Annotate(job.ResultsDir, "results"), at(job.ResultsDir), "absolute path"},
		"a results path that climbs":                 {one.Annotate(job.ResultsDir, "/results/../etc"), at(job.ResultsDir), "without .."},
		"a results URL of another kind":              {one.Annotate(job.ResultsDir, "https://u:"+canary+"@h/x"), at(job.ResultsDir), "s3://bucket/prefix"},
		"an input without a target":                  {one.Annotate(job.Inputs, "s3://lab/x"), at(job.Inputs), "line 1"},
		"the second line of the inputs":              {one.Annotate(job.Inputs, "s3://lab/x -> /x\n/y"), at(job.Inputs), "line 2"},
		"an input from a bucket of no such name":     {one.Annotate(job.Inputs, "s3://b/p -> /x"), at(job.Inputs), "line 1: no bucket can have that name: want 3 to 63 lower-case letters"},
		"an input from a bucket in capitals":         {one.Annotate(job.Inputs, "s3://"+canary+"X/p -> /x"), at(job.Inputs), "no bucket can have that name"},
		"an input to a place that climbs":            {one.Annotate(job.Inputs, "s3://lab/p -> /x/../"+canary), at(job.Inputs), "want an absolute path without .."},
		"an output to a bucket of no such name":      {one.Annotate(job.Outputs, "/x -> s3://a_b/"), at(job.Outputs), "no bucket can have that name"},
		"an output from a place that climbs":         {one.Annotate(job.Outputs, "/x/../y"), at(job.Outputs), "want an absolute path without .."},
		"results in a bucket of no such name":        {one.Annotate(job.ResultsDir, "s3://B"+canary), at(job.ResultsDir), "no bucket can have that name"},
		"an output the wrong way round":              {one.Annotate(job.Outputs, "s3://lab/x -> /x"), at(job.Outputs), "line 1"},
		"an output to no bucket":                     {one.Annotate(job.Outputs, "/x -> "+canary), at(job.Outputs), "s3://bucket/prefix"},
		"a port variable that is no port":            {one.Env("A", "b").Env("MASTER_PORT", canary), "spec.template.spec.containers[0].env[1].value", "container \"tao\""},
		"no containers":                              {one.Pod(func(p *corev1.PodSpec) { p.Containers = nil }), "spec.template.spec.containers", "needs a container"},
		"a record of injection into another Job":     {one.Annotate(job.Injected, `{"name":"other"}`), at(job.Injected), "another name"},
		"GPUs that no machine has":                   {one.Annotate(job.GPUsPerNode, "8000"), at(job.GPUsPerNode), "from 0 to 1024"},
		"a GPU count that is no number, with values": {one.Annotate(job.GPUsPerNode, canary), at(job.GPUsPerNode), "whole number"},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := job.Read(tc.in.Obj())
			if len(errs) != 1 {
				t.Fatalf("%d errors, want 1: %v", len(errs), errs)
			}
			if errs[0].Field != tc.path || !strings.Contains(errs[0].Detail, tc.says) {
				t.Errorf("got %v, want %q at %s", errs[0], tc.says, tc.path)
			}
			if strings.Contains(errs[0].Error(), canary) {
				t.Error("the value is printed")
			}
		})
	}
}

func podLimit(memory string) func(*corev1.PodSpec) {
	return func(p *corev1.PodSpec) {
		p.Resources = &corev1.ResourceRequirements{Limits: corev1.ResourceList{"memory": resource.MustParse(memory)}}
	}
}

func TestReadSeesAllErrors(t *testing.T) {
	in := jobtest.New("train").Annotate(job.Nodes, "x").Annotate(job.MasterPort, "y").Annotate(job.ShmSize, "z")
	if _, errs := job.Read(in.Obj()); len(errs) != 3 {
		t.Errorf("got %v, want one error for each bad annotation", errs)
	}
}

func TestOfCronJob(t *testing.T) {
	plain := jobtest.New("ignored").Obj()
	c := &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Name: "weekly", Namespace: "lab", UID: "u"}}
	c.Spec.JobTemplate = batchv1.JobTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: plain.Labels}, Spec: plain.Spec}
	got, errs := job.Read(job.OfCronJob(c))
	if len(errs) > 0 || got.Name != "weekly" || got.Namespace != "lab" || got.Credentials.Secret != "tao-creds-weekly" {
		t.Errorf("got %+v, %v", got, errs)
	}
	if !job.Selected(job.OfCronJob(c).Labels) || job.Selected(c.Labels) {
		t.Error("the label of the jobTemplate selects, and no other")
	}
}

func FuzzTransfers(f *testing.F) {
	for _, seed := range []string{"s3://lab/x -> /x", "/x -> s3://lab/x", "/x", "s3:// -> /", "->", "/a\x00b", "/../x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		in := jobtest.New("train").Annotate(job.Inputs, line).Annotate(job.Outputs, line)
		got, _ := job.Read(in.Obj())
		for _, transfer := range append(got.Inputs, got.Outputs...) {
			if !strings.HasPrefix(transfer.Path, "/") || strings.Contains(transfer.Path+"/", "/../") {
				t.Errorf("path %q of %q", transfer.Path, line)
			}
		}
	})
}
