package suite

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/taojob/taojob/e2e/webhook"
)

// The examples are not tested in parallel: two of them would compete for the nodes.

func TestTheExampleOfOneNode(t *testing.T) {
	s := newSpace(t)
	s.do(example(t, "one-node.yaml"), "apply", "--filename", "-")
	j := s.job("classify")
	checkEnv(t, container(j), oneNode("classify", 1))
	checkInjected(t, j, "tao-creds-classify")
	s.pods(1, onGPUNode)
	s.free()
	if services, err := plane.Client.CoreV1().Services(s.name).List(t.Context(), metav1.ListOptions{}); err != nil || len(services.Items) > 0 {
		t.Errorf("one node needs no Service: %v %v", services.Items, err)
	}
}

func TestTheExampleOfTwoNodes(t *testing.T) {
	s := newSpace(t)
	apply := []string{"apply", "--filename", "-"}
	if old() {
		s.refused(example(t, "two-node.yaml"), apply, "multi-node-version", "metadata.annotations[tao.nvidia.com/nodes]",
			"asks for 2 nodes on Kubernetes 1.27", "upgrade the cluster to Kubernetes 1.28")
		return
	}
	s.do(example(t, "two-node.yaml"), apply...)
	j := s.job("gdino")
	checkEnv(t, container(j), twoNodes("gdino", 8))
	checkInjected(t, j, "tao-creds-gdino")
	checkIndexed(t, j)
	service := s.service("gdino", isThere)
	checkRendezvous(t, service, j)
	if late := service.CreationTimestamp.Sub(j.CreationTimestamp.Time); late > 2*time.Second { // both are in whole seconds
		t.Errorf("the Service came %s after the Job", late)
	}
	for _, pod := range s.pods(2, onGPUNode) {
		index := pod.Annotations[batchv1.JobCompletionIndexAnnotation]
		if pod.Spec.Hostname != "gdino-"+index || pod.Spec.Subdomain != "gdino" {
			t.Errorf("pod %s is found as %s.%s", index, pod.Spec.Hostname, pod.Spec.Subdomain)
		}
	}
	s.do("", "delete", "job", "gdino")
	s.eventually("the end of the Service", func() error {
		_, err := plane.Client.CoreV1().Services(s.name).Get(s.Context(), "gdino", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(errors.New("it is still there"), err)
	})
	s.free()
}

// TestTheBadExamplesAreRefused has each refused by the rule that its file is named after.
func TestTheBadExamplesAreRefused(t *testing.T) {
	root, err := webhook.Root()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "examples", "bad", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are none: %v", err)
	}
	for _, file := range files {
		rule := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(rule, func(t *testing.T) {
			s := newSpace(t)
			if rule == "multi-node-version" && !old() {
				s.do("", "apply", "--filename", file)
				s.free()
				return
			}
			s.refused("", []string{"apply", "--filename", file}, rule+": ", "; fix: ")
		})
	}
}

func checkIndexed(t *testing.T, j *batchv1.Job) {
	t.Helper()
	got := batchv1.JobSpec{
		CompletionMode: j.Spec.CompletionMode, Completions: j.Spec.Completions,
		Parallelism: j.Spec.Parallelism, BackoffLimit: j.Spec.BackoffLimit,
	}
	want := batchv1.JobSpec{
		CompletionMode: ptr.To(batchv1.IndexedCompletion), Completions: ptr.To[int32](2),
		Parallelism: ptr.To[int32](2), BackoffLimit: ptr.To[int32](0),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the Job's numbers (-want +got):\n%s", diff)
	}
	if j.Spec.Template.Spec.Subdomain != j.Name {
		t.Errorf("the subdomain is %q", j.Spec.Template.Spec.Subdomain)
	}
}

func checkRendezvous(t *testing.T, service *corev1.Service, j *batchv1.Job) {
	t.Helper()
	if service.Spec.ClusterIP != corev1.ClusterIPNone || !service.Spec.PublishNotReadyAddresses {
		t.Errorf("the Service is not headless for pods that are not ready: %+v", service.Spec)
	}
	if diff := cmp.Diff(map[string]string{"job-name": j.Name}, service.Spec.Selector); diff != "" {
		t.Errorf("the Service's selector (-want +got):\n%s", diff)
	}
	if !metav1.IsControlledBy(service, j) {
		t.Errorf("the Service is not the Job's: %v", service.OwnerReferences)
	}
}

// onGPUNode tells whether a pod was scheduled to a node that has what it asks for.
func onGPUNode(pod *corev1.Pod) error {
	if !strings.HasPrefix(pod.Spec.NodeName, "gpu-") {
		return fmt.Errorf("pod %s is on node %q: %v", pod.Name, pod.Spec.NodeName, pod.Status.Conditions)
	}
	return nil
}

// free gives the nodes back: a pod without a kubelet ends only by force.
func (s *space) free() {
	s.do("", "delete", "job", "--all")
	s.do("", "delete", "pod", "--all", "--force", "--grace-period=0")
}
