package mutate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/job/jobtest"
)

var (
	bare = jobtest.New("train")
	two  = bare.Annotate(job.Nodes, "2")
)

// pass runs one injector over a Job, as one pass of the chain would.
func pass(t *testing.T, inject func(*injection), j *batchv1.Job, opt Options) *batchv1.Job {
	t.Helper()
	training, errs := job.Read(j)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	in := newInjection(j.DeepCopy(), training, opt)
	inject(in)
	in.writeRecord()
	return in.job
}

// checkInject compares the result of one injector, the record aside, and then
// runs it again over that result, which must change nothing.
func checkInject(t *testing.T, inject func(*injection), opt Options, in, want jobtest.Job) {
	t.Helper()
	first := pass(t, inject, in.Obj(), opt)
	bareOfRecord := first.DeepCopy()
	delete(bareOfRecord.Annotations, job.Injected)
	if len(bareOfRecord.Annotations) == 0 {
		bareOfRecord.Annotations = nil
	}
	if diff := cmp.Diff(want.Obj(), bareOfRecord); diff != "" {
		t.Errorf("first pass (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(first, pass(t, inject, first, opt)); diff != "" {
		t.Errorf("second pass changes the first (-first +second):\n%s", diff)
	}
}

type injectCase struct {
	opt      Options
	in, want jobtest.Job
}

func runInject(t *testing.T, inject func(*injection), cases map[string]injectCase) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { checkInject(t, inject, tc.opt, tc.in, tc.want) })
	}
}

func TestRendezvousEnv(t *testing.T) {
	onOne := func(in jobtest.Job, procs, gpus string) jobtest.Job {
		return in.Env("NNODES", "1").Env("NPROC_PER_NODE", procs).Env("NUM_GPU_PER_NODE", gpus).Env("NODE_RANK", "0").
			Env("MASTER_ADDR", "localhost").Env("MASTER_PORT", "29500").Env("TAO_JOB_ID", "train")
	}
	onTwo := func(in jobtest.Job) jobtest.Job {
		return in.Env("NNODES", "2").Env("NPROC_PER_NODE", "8").Env("NUM_GPU_PER_NODE", "8").
			EnvField("NODE_RANK", "metadata.annotations['batch.kubernetes.io/job-completion-index']").
			Env("MASTER_ADDR", "train-0.train").Env("MASTER_PORT", "29500").Env("WORLD_SIZE", "2").Env("TAO_JOB_ID", "train")
	}
	wide := two.GPUs("8")
	generated := bare.GenerateName("sweep-")
	runInject(t, rendezvousEnv, map[string]injectCase{
		"one node has rank 0, meets itself and gets no WORLD_SIZE": {in: bare.GPUs("1"), want: onOne(bare.GPUs("1"), "1", "1")},
		"a run on CPUs still has one process":                      {in: bare, want: onOne(bare, "1", "0")},
		"two nodes get a rank each and WORLD_SIZE counts nodes":    {in: wide, want: onTwo(wide)},
		"ours come before the author's, which may refer to them": {
			in:   wide.Env("URL", "tcp://$(MASTER_ADDR)"),
			want: onTwo(wide).Env("URL", "tcp://$(MASTER_ADDR)"),
		},
		"what the author set stays, once and in its place": {
			in: bare.Env("A", "1").Env("NODE_RANK", "5").Env("B", "2"),
			want: bare.Env("NNODES", "1").Env("NPROC_PER_NODE", "1").Env("NUM_GPU_PER_NODE", "0").
				Env("MASTER_ADDR", "localhost").Env("MASTER_PORT", "29500").Env("TAO_JOB_ID", "train").
				Env("A", "1").Env("NODE_RANK", "5").Env("B", "2"),
		},
		"the name of a generated Job is read from the pod": {
			in: generated,
			want: generated.Env("NNODES", "1").Env("NPROC_PER_NODE", "1").Env("NUM_GPU_PER_NODE", "0").Env("NODE_RANK", "0").
				Env("MASTER_ADDR", "localhost").Env("MASTER_PORT", "29500").EnvField("TAO_JOB_ID", "metadata.labels['job-name']"),
		},
	})
}

func TestGPUsAreCountedPerContainer(t *testing.T) {
	in := bare.GPUs("2").Container("b", "nvidia.com/gpu", "4").Container("log", "", "")
	got := pass(t, rendezvousEnv, in.Obj(), Options{}).Spec.Template.Spec.Containers
	for i, want := range []string{"2", "4"} {
		if v := envVar(&got[i], "NUM_GPU_PER_NODE"); v == nil || v.Value != want {
			t.Errorf("container %s has %v, want %s", got[i].Name, v, want)
		}
	}
	if len(got[2].Env) > 0 {
		t.Errorf("a container that does not train got %v", got[2].Env)
	}
}

func TestTorchrunEnv(t *testing.T) {
	both := func(in *injection) { rendezvousEnv(in); torchrunEnv(in) }
	pets := func(j jobtest.Job) map[string]string {
		got := pass(t, both, j.Obj(), Options{}).Spec.Template.Spec.Containers[0]
		all := map[string]string{}
		for i, e := range got.Env {
			if short, ok := strings.CutPrefix(e.Name, "PET_"); ok {
				all[short] = e.Value
				if e.ValueFrom != nil {
					all[short] = e.ValueFrom.FieldRef.FieldPath
				}
				if strings.Contains(e.Value, "$(") && i < len(got.Env)-1 {
					all[short] = "stands before what it refers to"
				}
			}
		}
		return all
	}
	index := "metadata.annotations['batch.kubernetes.io/job-completion-index']"
	with := func(key, value string) map[string]string {
		m := map[string]string{"NNODES": "2", "NPROC_PER_NODE": "4", "NODE_RANK": index, "MASTER_ADDR": "train-0.train", "MASTER_PORT": "29500"}
		m[key] = value
		return m
	}
	wide := two.GPUs("4")
	for name, tc := range map[string]struct {
		in   jobtest.Job
		want map[string]string
	}{
		"one node needs no rendezvous":                       {bare.GPUs("4"), map[string]string{}},
		"two nodes get torchrun's five defaults":             {wide, with("NNODES", "2")},
		"they repeat what the author set":                    {wide.Env("MASTER_PORT", "23456"), with("MASTER_PORT", "23456")},
		"they repeat where the author reads it from":         {wide.EnvField("NODE_RANK", "metadata.labels['r']"), with("NODE_RANK", "metadata.labels['r']")},
		"they follow a reference, and so come after it":      {wide.Env("HOST", "h").Env("MASTER_ADDR", "$(HOST)"), with("MASTER_ADDR", "$(MASTER_ADDR)")},
		"what the author set for torchrun itself stays":      {wide.Env("PET_NNODES", "1:4"), with("NNODES", "1:4")},
		"an overridden process count is what torchrun takes": {wide.Env("NPROC_PER_NODE", "2"), with("NPROC_PER_NODE", "2")},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, pets(tc.in)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestIndexedJob(t *testing.T) {
	backoff := func(n int32) func(*batchv1.Job) {
		return func(j *batchv1.Job) { j.Spec.BackoffLimit = &n }
	}
	runInject(t, indexedJob, map[string]injectCase{
		"one node stays as it is":                           {in: bare, want: bare},
		"an array stays as it is":                           {in: bare.Indexed(4, 2), want: bare.Indexed(4, 2)},
		"two nodes start together and are not retried":      {in: two, want: two.Indexed(2, 2).With(backoff(0))},
		"the API server's defaults read as not set":         {in: two.Defaulted(), want: two.Indexed(2, 2).With(backoff(0)).Defaulted()},
		"a backoffLimit of the author's stays":              {in: two.With(backoff(3)), want: two.Indexed(2, 2).With(backoff(3))},
		"numbers that contradict stay, for the rule to see": {in: two.Runs(3, 3), want: two.Indexed(3, 3).With(backoff(0))},
	})
}

func TestPodPolicies(t *testing.T) {
	hostNetwork := func(p *corev1.PodSpec) { p.HostNetwork = true }
	dns := func(policy corev1.DNSPolicy) func(*corev1.PodSpec) {
		return func(p *corev1.PodSpec) { p.DNSPolicy = policy }
	}
	restart := func(policy corev1.RestartPolicy) func(*corev1.PodSpec) {
		return func(p *corev1.PodSpec) { p.RestartPolicy = policy }
	}
	sub := func(name string) func(*corev1.PodSpec) {
		return func(p *corev1.PodSpec) { p.Subdomain = name }
	}
	all := func(in *injection) { restartPolicy(in); dnsPolicy(in); subdomain(in) }
	never, wide := bare.Pod(restart(corev1.RestartPolicyNever)), two.Pod(restart(corev1.RestartPolicyNever))
	runInject(t, all, map[string]injectCase{
		"a Job that names no policy fails its pod":      {in: bare, want: never},
		"Always is the pod default, and no Job's":       {in: bare.Pod(restart(corev1.RestartPolicyAlways)), want: never},
		"OnFailure is the author's":                     {in: bare.Pod(restart(corev1.RestartPolicyOnFailure)), want: bare.Pod(restart(corev1.RestartPolicyOnFailure))},
		"two nodes stand under the Service":             {in: wide, want: wide.Pod(sub("train"))},
		"a subdomain of the author's stays":             {in: wide.Pod(sub("rings")), want: wide.Pod(sub("rings"))},
		"host network asks the cluster's DNS":           {in: wide.Pod(hostNetwork), want: wide.Pod(hostNetwork).Pod(sub("train")).Pod(dns(corev1.DNSClusterFirstWithHostNet))},
		"a DNS policy of the author's stays":            {in: wide.Pod(hostNetwork).Pod(dns(corev1.DNSNone)), want: wide.Pod(hostNetwork).Pod(sub("train")).Pod(dns(corev1.DNSNone))},
		"one node on the host network finds itself":     {in: never.Pod(hostNetwork), want: never.Pod(hostNetwork)},
		"ClusterFirst on the host network reads as set": {in: wide.Pod(hostNetwork).Pod(dns(corev1.DNSClusterFirst)), want: wide.Pod(hostNetwork).Pod(sub("train")).Pod(dns(corev1.DNSClusterFirstWithHostNet))},
	})
}

func TestCredentials(t *testing.T) {
	named := bare.Annotate(job.CredentialsSecret, "team")
	none := bare.Annotate(job.CredentialsSecret, "none")
	ours := func(in jobtest.Job, secret string, optional bool) jobtest.Job {
		theirs := in.Obj().Spec.Template.Spec.Containers[0].EnvFrom
		return in.Trainer(func(c *corev1.Container) { c.EnvFrom = nil }).EnvFromSecret(secret, optional).
			Trainer(func(c *corev1.Container) { c.EnvFrom = append(c.EnvFrom, theirs...) })
	}
	runInject(t, credentials, map[string]injectCase{
		"the default Secret may be missing":   {in: bare, want: ours(bare, "tao-creds-train", true)},
		"a named Secret must be there":        {in: named, want: ours(named, "team", false)},
		"none is none":                        {in: none, want: none},
		"the author's sources come last, win": {in: bare.EnvFromSecret("own", false), want: ours(bare.EnvFromSecret("own", false), "tao-creds-train", true)},
		"a source that is there is enough":    {in: named.EnvFromSecret("team", true), want: named.EnvFromSecret("team", true)},
	})
}

func TestGPUToleration(t *testing.T) {
	gpu := corev1.Toleration{Key: "nvidia.com/gpu", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}
	mig := gpu
	mig.Key = "nvidia.com/mig-1g.10gb"
	all := corev1.Toleration{Operator: corev1.TolerationOpExists}
	present := corev1.Toleration{Key: "nvidia.com/gpu", Value: "present", Effect: corev1.TaintEffectNoSchedule}
	runInject(t, gpuToleration, map[string]injectCase{
		"a run on CPUs stays off the GPU nodes":     {in: bare, want: bare},
		"none asked for is none":                    {in: bare.GPUs("0"), want: bare.GPUs("0")},
		"the resource's own taint is tolerated":     {in: bare.GPUs("1"), want: bare.GPUs("1").Tolerate(gpu)},
		"each resource has its own taint":           {in: bare.GPUs("1").Limit("nvidia.com/mig-1g.10gb", "1"), want: bare.GPUs("1").Limit("nvidia.com/mig-1g.10gb", "1").Tolerate(gpu).Tolerate(mig)},
		"one that tolerates all is enough":          {in: bare.GPUs("1").Tolerate(all), want: bare.GPUs("1").Tolerate(all)},
		"one that tolerates a value is not":         {in: bare.GPUs("1").Tolerate(present), want: bare.GPUs("1").Tolerate(present).Tolerate(gpu)},
		"a container that does not train counts":    {in: bare.Container("b", "nvidia.com/gpu", "1").Annotate(job.Containers, "tao"), want: bare.Container("b", "nvidia.com/gpu", "1").Annotate(job.Containers, "tao").Tolerate(gpu)},
		"nvidia.com resources that are no GPU stay": {in: bare.Limit("nvidia.com/rdma", "1"), want: bare.Limit("nvidia.com/rdma", "1")},
	})
}

func TestPullSecret(t *testing.T) {
	opt := Options{ImagePullSecret: "ngc"}
	secret := func(name string) func(*corev1.PodSpec) {
		return func(p *corev1.PodSpec) { p.ImagePullSecrets = []corev1.LocalObjectReference{{Name: name}} }
	}
	other := bare.Trainer(func(c *corev1.Container) { c.Image = "registry.lab/nvcr.io/tao:1" })
	runInject(t, pullSecret, map[string]injectCase{
		"an nvcr.io image gets the cluster's":  {opt: opt, in: bare, want: bare.Pod(secret("ngc"))},
		"the author's stays":                   {opt: opt, in: bare.Pod(secret("own")), want: bare.Pod(secret("own"))},
		"other images get none":                {opt: opt, in: other, want: other},
		"nothing without a cluster's default":  {in: bare, want: bare},
		"an nvcr.io init container counts too": {opt: opt, in: other.Pod(ngcInit), want: other.Pod(ngcInit).Pod(secret("ngc"))},
	})
}

func ngcInit(p *corev1.PodSpec) {
	p.InitContainers = []corev1.Container{{Name: "fetch", Image: "nvcr.io/nvidia/tao/x:1"}}
}

func TestClusterEnvAndResultsRoot(t *testing.T) {
	both := func(in *injection) { resultsRoot(in); clusterEnv(in) }
	opt := Options{Env: map[string]string{"NCCL_SOCKET_IFNAME": "eth0", "NCCL_DEBUG": "WARN"}}
	results := bare.Annotate(job.ResultsDir, "/results")
	runInject(t, both, map[string]injectCase{
		"nothing is set that nobody asked for": {in: bare, want: bare},
		"the cluster's defaults come sorted":   {opt: opt, in: bare, want: bare.Env("NCCL_DEBUG", "WARN").Env("NCCL_SOCKET_IFNAME", "eth0")},
		"the author's own value wins":          {opt: opt, in: bare.Env("NCCL_DEBUG", "INFO"), want: bare.Env("NCCL_SOCKET_IFNAME", "eth0").Env("NCCL_DEBUG", "INFO")},
		"the place for results is told":        {in: results, want: results.Env("TAO_RESULTS_ROOT", "/results")},
	})
}

func TestGeneratedName(t *testing.T) {
	opt := Options{NameSuffix: "abcde"}
	sweep := two.GenerateName("sweep-")
	long := two.GenerateName(strings.Repeat("l", 70) + "-")
	digits := two.GenerateName(strings.Repeat("3", 70))
	named := func(name string) func(*batchv1.Job) { return func(j *batchv1.Job) { j.Name = name } }
	runInject(t, generatedName, map[string]injectCase{
		"two nodes need the name now":             {opt: opt, in: sweep, want: sweep.With(named("sweep-abcde"))},
		"one node leaves it to the API server":    {opt: opt, in: bare.GenerateName("sweep-"), want: bare.GenerateName("sweep-")},
		"a name that is there stays":              {opt: opt, in: two, want: two},
		"a Service of a digit needs more room":    {opt: opt, in: digits, want: digits.With(named(strings.Repeat("3", 54) + "abcde"))},
		"a long prefix is cut so that pods' host": {opt: opt, in: long, want: long.With(named(strings.Repeat("l", 56) + "abcde"))},
	})
}
