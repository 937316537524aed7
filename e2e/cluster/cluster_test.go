package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/taojob/taojob/e2e/internal/processtest"
	"github.com/taojob/taojob/e2e/internal/wait"
)

// TestCluster goes through all that a cluster offers, on the newest version
// and on the oldest. It builds what is missing, so the first run needs
// "go test -timeout 60m".
func TestCluster(t *testing.T) {
	for _, version := range []string{"1.37", "1.27"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			c := startCluster(t, Options{Version: version, Log: t.Output()})
			checkVersion(t, c)
			checkScheduling(t, c)
			checkRBAC(t, c)
			checkServerRestart(t, c)
			checkKwok(t, c)
			if err := c.Stop(); err != nil {
				t.Error(err)
			}
			processtest.CheckNothingRuns(t, c.Dir)
			if _, err := os.Stat(c.Dir); !os.IsNotExist(err) {
				t.Errorf("the temporary folder stays behind: %v", err)
			}
		})
	}
}

func TestAFlagThatAComponentRefusesIsTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := Start(t.Context(), Options{Dir: dir, Args: map[string][]string{Scheduler: {"--no-such-flag"}}})
	checkError(t, err, "start cluster 1.37")
	checkError(t, err, "run kube-scheduler: it ended (exit status 1)")
	checkError(t, err, "unknown flag: --no-such-flag")
	processtest.CheckNothingRuns(t, dir)
}

// TestADetachedClusterStartsAfresh also shows that a folder can be used again,
// and that the node lifecycle controller runs if wanted: it alone takes the
// taint away that a new node has.
func TestADetachedClusterStartsAfresh(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range 2 {
		c, err := Start(t.Context(), Options{Dir: dir, Detach: true, NodeLifecycle: true})
		if err != nil {
			t.Fatal(err)
		}
		node, err := NodeSpec{Name: "node"}.node("v1.37.2")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Client.CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{}); err != nil {
			t.Error(err)
		}
		eventually(t, "the taint of a new node is taken away", func(ctx context.Context) error {
			node, err := c.Client.CoreV1().Nodes().Get(ctx, "node", metav1.GetOptions{})
			if err == nil && len(node.Spec.Taints) > 0 {
				err = fmt.Errorf("it has %v", node.Spec.Taints)
			}
			return err
		})
		if err := Down(t.Context(), dir); err != nil {
			t.Error(err)
		}
		processtest.CheckNothingRuns(t, dir)
	}
}

func startCluster(t *testing.T, o Options) *Cluster {
	t.Helper()
	c, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Stop() }) // once more does no harm
	return c
}

// checkVersion asks the server through the kubectl and the kubeconfig that
// come with the cluster.
func checkVersion(t *testing.T, c *Cluster) {
	t.Helper()
	out, err := exec.Command(c.Assets.Kubectl(), "--kubeconfig", c.Kubeconfig, "version", "-o", "json").Output()
	if err != nil {
		t.Fatal(err)
	}
	type version struct{ GitVersion, Major, Minor string }
	var got struct{ ClientVersion, ServerVersion version }
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	want := version{"v" + c.Assets.Version, "1", strconv.Itoa(minor(c.Assets.Version))}
	if got.ServerVersion != want || got.ClientVersion != want {
		t.Errorf("kubectl version tells %+v, want %+v for both", got, want)
	}
}

// checkScheduling shows that Jobs get pods, and that GPUs are counted: of two
// pods with two GPUs each, a node with three takes one.
func checkScheduling(t *testing.T, c *Cluster) {
	t.Helper()
	taint := corev1.Taint{Key: "reserved", Effect: corev1.TaintEffectNoSchedule}
	for _, spec := range []NodeSpec{
		{Name: "small", GPUs: 3},
		{Name: "tainted", GPUs: 8, Taints: []corev1.Taint{taint}},
		{Name: "bare"},
	} {
		if err := c.AddNode(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
	}
	createJob(t, c, "train", 2)
	eventually(t, "one pod is bound, the other finds no GPU", func(ctx context.Context) error {
		pods, err := c.Client.CoreV1().Pods("default").List(ctx, metav1.ListOptions{LabelSelector: "job-name=train"})
		if err != nil {
			return err
		}
		var bound, refused int
		for _, pod := range pods.Items {
			if pod.Spec.NodeName == "small" {
				bound++
			}
			for _, cond := range pod.Status.Conditions {
				if cond.Type == corev1.PodScheduled && cond.Reason == corev1.PodReasonUnschedulable {
					refused++
				}
			}
		}
		if bound != 1 || refused != 1 {
			return fmt.Errorf("%d bound to node small and %d refused, of %d", bound, refused, len(pods.Items))
		}
		return nil
	})
}

func checkRBAC(t *testing.T, c *Cluster) {
	t.Helper()
	path, err := c.KubeconfigFor("nobody", "nobody")
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	client := kubernetes.NewForConfigOrDie(config)
	_, err = client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if !apierrors.IsForbidden(err) {
		t.Errorf("a user without rights gets %v, want it forbidden", err)
	}
}

func checkServerRestart(t *testing.T, c *Cluster) {
	t.Helper()
	if err := c.StopAPIServer(); err != nil {
		t.Fatal(err)
	}
	checkError(t, c.StopAPIServer(), "it isn't running")
	if _, err := c.Client.CoreV1().Nodes().Get(t.Context(), "small", metav1.GetOptions{}); err == nil {
		t.Error("a stopped API server answers")
	}
	if err := c.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	checkError(t, c.StartAPIServer(t.Context()), "it is running")
	if _, err := c.Client.CoreV1().Nodes().Get(t.Context(), "small", metav1.GetOptions{}); err != nil {
		t.Errorf("the server has forgotten its nodes: %v", err)
	}
}

// checkKwok also shows that a node's heartbeats are played, and that what pods
// were told before they seemed to run stays.
func checkKwok(t *testing.T, c *Cluster) {
	t.Helper()
	if err := c.StartKwok(t.Context()); err != nil {
		t.Fatal(err)
	}
	createJob(t, c, "pretended", 1)
	eventually(t, "kwok lets a Job succeed", func(ctx context.Context) error {
		job, err := c.Client.BatchV1().Jobs("default").Get(ctx, "pretended", metav1.GetOptions{})
		if err == nil && job.Status.Succeeded != 1 {
			err = fmt.Errorf("its status is %+v", job.Status)
		}
		return err
	})
	pods, err := c.Client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{LabelSelector: "job-name=pretended"})
	if err != nil || len(pods.Items) != 1 {
		t.Fatalf("%d pods of the Job (%v), want 1", len(pods.Items), err)
	}
	if got := pods.Items[0].Status.Conditions; len(got) < 4 {
		t.Errorf("the pod's conditions are %v, want it scheduled, initialized and ready", got)
	}
	eventually(t, "the node has a lease", func(ctx context.Context) error {
		_, err := c.Client.CoordinationV1().Leases("kube-node-lease").Get(ctx, "small", metav1.GetOptions{})
		return err
	})
}

// createJob creates a Job whose pods ask for two GPUs each.
func createJob(t *testing.T, c *Cluster, name string, pods int32) {
	t.Helper()
	two := resource.MustParse("2")
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: batchv1.JobSpec{
			Parallelism: &pods, Completions: &pods,
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				RestartPolicy:  corev1.RestartPolicyNever,
				InitContainers: []corev1.Container{{Name: "fetch", Image: "none.invalid/fetch"}},
				Containers: []corev1.Container{{
					Name: "train", Image: "none.invalid/train",
					Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{GPU: two}},
				}},
			}},
		},
	}
	if _, err := c.Client.BatchV1().Jobs("default").Create(t.Context(), job, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func eventually(t *testing.T, what string, holds func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := wait.For(ctx, 50*time.Millisecond, holds); err != nil {
		t.Errorf("%s: %v", what, err)
	}
}
