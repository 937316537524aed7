package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiversion "k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/discovery/fake"
	clientset "k8s.io/client-go/kubernetes/fake"
	metadatafake "k8s.io/client-go/metadata/fake"
	clienttesting "k8s.io/client-go/testing"
)

// canary is a value that no error may print.
const canary = "kanarienvogel"

// manifest is a labelled Job with more of its container, and more annotations.
func manifest(annotations, container string) string {
	return `apiVersion: batch/v1
kind: Job
metadata:
  name: dino
  labels: {tao.nvidia.com/job: ""}
  annotations: {` + annotations + `}
spec:
  template:
    spec:
      containers:
      - name: tao
        image: nvcr.io/nvidia/tao/tao-toolkit
` + container
}

// many writes n environment variables.
func many(n int, value string) string {
	var b strings.Builder
	b.WriteString("        env:\n")
	for i := range n {
		fmt.Fprintf(&b, "        - {name: V%d, value: \"%s\"}\n", i, value)
	}
	return b.String()
}

func TestReviewOfUnusualInput(t *testing.T) {
	for name, tc := range map[string]struct {
		in   string
		exit int
		says string
	}{
		"a Job is allowed":                          {manifest("", ""), 0, "1 allowed, 0 denied"},
		"Windows line ends and a byte order mark":   {"\ufeff" + strings.ReplaceAll(manifest("", ""), "\n", "\r\n"), 0, "1 allowed"},
		"a node count that is no number":            {manifest("tao.nvidia.com/nodes: "+canary, ""), 1, "want a whole number"},
		"a node count of 10,000":                    {manifest(`tao.nvidia.com/nodes: "10000"`, ""), 0, "1 allowed"},
		"a node count beyond what Kubernetes takes": {manifest(`tao.nvidia.com/nodes: "1000000"`, ""), 1, "out of range"},
		"a Job of 1.4 MB":                           {manifest("", many(1400, strings.Repeat("x", 1000))), 0, "1 allowed"},
		"5,000 variables":                           {manifest("", many(5000, "x")), 0, "1 allowed"},
		"a variable that is there twice":            {manifest("", many(1, "x")+"        - {name: V0, value: z}\n"), 0, "1 allowed"},
		"no containers":                             {"apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, labels: {tao.nvidia.com/job: x}}\n", 1, "needs a container"},
		"a mistyped field":                          {manifest("", "        evn: []\n"), 0, "unknown field in spec.template.spec.containers[0] on line 13 (is env meant?)"},
		"an empty file":                             {"", 3, "no labelled Job found"},
		"a file of comments":                        {"# nothing\n", 3, "no labelled Job found"},
		"other kinds":                               {"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n", 3, "no labelled Job found"},
		"YAML that is broken":                       {manifest("", "      - ["+canary), 2, "error: stdin:"},
		"a binary file":                             {"\x00" + canary, 2, "error: stdin: is a binary file"},
		"a value of the wrong type":                 {manifest("", "        command: "+canary+"\n"), 2, "command: want a list, found another string"},
		"a broken Job beside a denied one":          {manifest("tao.nvidia.com/nodes: x", "") + "---\na: [", 2, "0 allowed, 1 denied, 1 error"},
		"a denied Job beside an allowed one":        {manifest("tao.nvidia.com/nodes: x", "") + "---\n" + manifest("", ""), 1, "1 allowed, 1 denied"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := execute(t, tc.in, "review", "-f", "-")
			if code != tc.exit {
				t.Errorf("exit %d, want %d: %s", code, tc.exit, stderr)
			}
			if !strings.Contains(stdout+stderr, tc.says) {
				t.Errorf("%q is not in\n%s%s", tc.says, stdout, stderr)
			}
			if strings.Contains(stdout+stderr, canary) {
				t.Error("a value of the file is printed")
			}
		})
	}
}

// The webhook cuts a long prefix, so that the review may not refuse it.
func TestReviewAcceptsGeneratedNamesOfAnyLength(t *testing.T) {
	var all strings.Builder
	for length := 1; length <= 70; length++ {
		one := manifest("tao.nvidia.com/nodes: \"2\", tao.nvidia.com/credentials-secret: none", "")
		all.WriteString("---\n" + strings.Replace(one, "name: dino", "generateName: "+strings.Repeat("a", length), 1))
	}
	code, stdout, stderr := execute(t, all.String(), "review", "-f", "-", "--kube-version", "1.31")
	if code != 0 || !strings.Contains(stdout, "70 allowed, 0 denied") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
}

func TestReviewOfJobsThatShareAService(t *testing.T) {
	one := manifest("tao.nvidia.com/nodes: \"2\"", "") + "      subdomain: rings\n    metadata: {labels: {app: x}}\n"
	jobs := one + "---\n" + strings.Replace(one, "name: dino", "name: other", 1)
	theirs := "---\napiVersion: v1\nkind: Service\nmetadata: {name: rings}\nspec: {clusterIP: None, selector: {app: x}}\n"
	for name, tc := range map[string]struct {
		in   string
		exit int
		says string
	}{
		"the cluster refuses the second":     {jobs, 1, "a Service named \"rings\" is already there"},
		"but not with one that serves both":  {jobs + theirs, 0, "2 allowed, 0 denied"},
		"one that serves none is in the way": {one + strings.Replace(theirs, "None", "10.0.0.1", 1), 1, "is not headless"},
		"what is not there is not known":     {one, 0, "not judged: gpu-capacity, multi-node-shape, resource-quota"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := execute(t, tc.in, "review", "-f", "-", "--kube-version", "1.31")
			if code != tc.exit || !strings.Contains(stdout, tc.says) {
				t.Errorf("exit %d, want %d and %q\n%s%s", code, tc.exit, tc.says, stdout, stderr)
			}
		})
	}
}

// What an inventory or the manifests themselves hold is there.
func TestReviewOfWhatPodsName(t *testing.T) {
	volume := "      volumes: [{name: data, persistentVolumeClaim: {claimName: coco}}]\n      imagePullSecrets: [{name: ngc}]\n"
	claim := "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: %s}\n---\n"
	secret := "apiVersion: v1\nkind: Secret\nmetadata: {name: %s}\nstringData: {key: " + canary + "}\n---\n"
	inventory := filepath.Join(t.TempDir(), "state.yaml")
	for name, tc := range map[string]struct {
		known, brought string
		says           []string
		lacks          string
	}{
		"without an inventory nothing is known": {"", "", []string{"not judged: gpu-capacity, missing-reference"}, "coco"},
		"a claim and a Secret that are there":   {fmt.Sprintf(claim+secret, "coco", "ngc"), "", []string{"1 allowed"}, "missing-reference"},
		"others are there":                      {fmt.Sprintf(claim+secret, "lvis", "old"), "", []string{"missing-reference", `"coco"`, `"ngc"`}, "lvis"},
		"the manifests bring the claim along":   {fmt.Sprintf(claim+secret, "lvis", "old"), fmt.Sprintf(claim, "coco"), []string{`"ngc"`}, "coco"},
		"the manifests bring the Secret along":  {fmt.Sprintf(claim+secret, "lvis", "old"), fmt.Sprintf(secret, "ngc"), []string{`"coco"`}, "ngc"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(inventory, []byte(tc.known), 0o600); err != nil {
				t.Fatal(err)
			}
			code, stdout, stderr := execute(t, tc.brought+manifest("", "")+volume, "review", "-f", "-", "--inventory", inventory)
			if code != 0 || strings.Contains(stdout, tc.lacks) || strings.Contains(stdout+stderr, canary) {
				t.Errorf("exit %d, %q or a value is in\n%s%s", code, tc.lacks, stdout, stderr)
			}
			for _, want := range tc.says {
				if !strings.Contains(stdout, want) {
					t.Errorf("%q is not in\n%s%s", want, stdout, stderr)
				}
			}
		})
	}
}

func TestUsage(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		at := filepath.Join(dir, name)
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return at
	}
	good := write("job.yaml", manifest("", ""))
	config := "apiVersion: config.tao.nvidia.com/v1alpha1\nkind: Config\n"
	for name, tc := range map[string]struct {
		args []string
		exit int
		says string
	}{
		"the version":                      {[]string{"version"}, 0, "dev\n"},
		"help names the exit codes":        {[]string{"review", "--help"}, 0, "2 bad input"},
		"the shell is told the formats":    {[]string{"__complete", "review", "-o", ""}, 0, "json\teverything, for programs\n"},
		"completion for shells":            {[]string{"completion", "bash"}, 0, "bash completion"},
		"an unknown command":               {[]string{"revue"}, 2, `unknown command "revue"`},
		"an unknown flag":                  {[]string{"review", "--kube"}, 2, "unknown flag: --kube"},
		"no file":                          {[]string{"review"}, 2, "name a file or folder with -f"},
		"a file without -f":                {[]string{"review", good}, 2, "name files with -f"},
		"a missing file":                   {[]string{"review", "-f", "nowhere.yaml"}, 2, "nowhere.yaml: no such file"},
		"an unknown format":                {[]string{"review", "-f", good, "-o", "xml"}, 2, `unknown output format "xml", want one of text, diff, yaml, json`},
		"a version that is none":           {[]string{"review", "-f", good, "--kube-version", "new"}, 2, "want a version such as 1.31"},
		"a configuration that is none":     {[]string{"review", "-f", good, "--config", good}, 2, "read config " + good},
		"a rule in it that is not there":   {[]string{"review", "-f", good, "--config", write("c.yaml", config+"rules: {gpu: warn}\n")}, 2, `rule "gpu": unknown rule`},
		"policies that are not there":      {[]string{"review", "-f", good, "--policies", filepath.Join(dir, "none")}, 2, "there is no folder"},
		"an inventory that is not there":   {[]string{"review", "-f", good, "--inventory", "none.yaml"}, 2, "read inventory: none.yaml: no such file"},
		"an inventory that is broken":      {[]string{"review", "-f", good, "--inventory", write("n.yaml", "apiVersion: v1\nkind: Node\nspec: x\n")}, 2, "n.yaml:1: does not decode as a Node"},
		"two sources of facts":             {[]string{"review", "-f", good, "--inventory", good, "--cluster"}, 2, "not both"},
		"a context without --cluster":      {[]string{"review", "-f", good, "--context", "x"}, 2, "need --cluster"},
		"standard input for two purposes":  {[]string{"review", "-f", "-", "--inventory", "-"}, 2, "cannot be both"},
		"a cluster that cannot be found":   {[]string{"review", "-f", good, "--cluster", "--kubeconfig", "none"}, 2, "find the cluster"},
		"a folder with none of our Jobs":   {[]string{"review", "-f", t.TempDir()}, 3, "no labelled Job found"},
		"a file is named as it was given":  {[]string{"review", "-f", good}, 0, good + ":1"},
		"a configuration is heard":         {[]string{"review", "-f", good, "-o", "diff", "--config", write("d.yaml", config+"injection: {shmSize: 3Gi}\n")}, 0, "sizeLimit: 3Gi"},
		"a namespace is heard":             {[]string{"review", "-f", good, "-n", "lab"}, 0, "Job lab/dino"},
		"a placeholder in generated names": {[]string{"review", "-f", write("g.yaml", strings.Replace(manifest(`tao.nvidia.com/nodes: "2"`, ""), "name: dino", "generateName: dino-", 1)), "-o", "diff"}, 0, "name: dino-xxxxx"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := execute(t, "", tc.args...)
			if code != tc.exit || !strings.Contains(stdout+stderr, tc.says) {
				t.Errorf("exit %d, want %d and %q in\n%s%s", code, tc.exit, tc.says, stdout, stderr)
			}
		})
	}
}

// fakeCluster is a cluster of a version, with two objects.
func fakeCluster(minor string) (clients, *clientset.Clientset) {
	c := clientset.NewClientset(
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}},
		&corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "lab", Name: "dino"}, Spec: corev1.ServiceSpec{ClusterIP: "10.0.0.1"}},
	)
	c.Discovery().(*fake.FakeDiscovery).FakedServerVersion = &apiversion.Info{Major: "1", Minor: minor}
	scheme := runtime.NewScheme()
	_ = metav1.AddMetaToScheme(scheme) // which cannot fail
	secret := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: metav1.ObjectMeta{Namespace: "lab", Name: "ngc"}}
	return clients{typed: c, metadata: metadatafake.NewSimpleMetadataClient(scheme, secret)}, c
}

func TestFactsOfACluster(t *testing.T) {
	c, _ := fakeCluster("31+")
	known, err := stateOf(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if known.version.String() != "1.31" || known.nodes.Len() != 1 {
		t.Errorf("version %s, %d nodes", known.version, known.nodes.Len())
	}
	told := known.facts()
	taken, _ := told.Service("lab", "dino")
	free, sure := told.Service("lab", "other")
	if taken == nil || taken.Spec.ClusterIP != "10.0.0.1" || free != nil || !sure {
		t.Errorf("taken %v, free %v (sure: %t)", taken, free, sure)
	}
	if found, known := told.Secret("lab", "ngc"); !found || !known {
		t.Errorf("a Secret is found: %t, known: %t", found, known)
	}
	if found, known := told.Claim("lab", "data"); found || !known {
		t.Errorf("a claim is found: %t, known: %t", found, known)
	}
	if _, sure := (&state{}).facts().Service("lab", "dino"); sure {
		t.Error("a Service is known without Services")
	}
	strange, _ := fakeCluster("new")
	if _, err := stateOf(t.Context(), strange); err == nil {
		t.Error("a version that is none is taken")
	}
}

func TestFactsThatAreForbidden(t *testing.T) {
	for name, tc := range map[string]struct {
		resource string
		missing  func(*state) bool
	}{
		"nodes are not known":    {"nodes", func(f *state) bool { return f.nodes == nil && f.services != nil }},
		"services are not known": {"services", func(f *state) bool { return f.nodes != nil && f.services == nil }},
		"quotas are not known":   {"resourcequotas", func(f *state) bool { return f.limitRanges != nil && f.quotas == nil }},
		"claims are not known":   {"persistentvolumeclaims", func(f *state) bool { return f.secrets != nil && f.claims == nil }},
		"Secrets are not known":  {"secrets", func(f *state) bool { return f.claims != nil && f.secrets == nil }},
		"accounts are not known": {"serviceaccounts", func(f *state) bool { return f.secrets != nil && f.accounts == nil }},
		"defaults are not known": {"limitranges", func(f *state) bool { return f.quotas != nil && f.limitRanges == nil }},
	} {
		t.Run(name, func(t *testing.T) {
			c, typed := fakeCluster("31")
			names := c.metadata.(*metadatafake.FakeMetadataClient)
			refuse := apierrors.NewForbidden(schema.GroupResource{Resource: tc.resource}, "", nil)
			fails := func(err error) clienttesting.ReactionFunc {
				return func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, err }
			}
			typed.PrependReactor("list", tc.resource, fails(refuse))
			names.PrependReactor("list", tc.resource, fails(refuse))
			known, err := stateOf(t.Context(), c)
			if err != nil || !tc.missing(known) || len(known.notes) != 1 || !strings.Contains(known.notes[0], tc.resource) {
				t.Errorf("%+v, %v", known, err)
			}
			typed.PrependReactor("list", tc.resource, fails(apierrors.NewTooManyRequestsError("busy")))
			names.PrependReactor("list", tc.resource, fails(apierrors.NewTooManyRequestsError("busy")))
			if _, err := stateOf(t.Context(), c); err == nil || !strings.Contains(err.Error(), "list "+tc.resource+": ") {
				t.Errorf("another error passes: %v", err)
			}
		})
	}
}
