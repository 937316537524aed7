package capacity

import (
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestIndexFollowsItsNodes(t *testing.T) {
	i := NewIndex(gpuNode("a"))
	for _, step := range []struct {
		what   string
		change func()
		fit    int
	}{
		{"a node is there", func() {}, 1},
		{"a node is added", func() { i.Upsert(gpuNode("b")) }, 2},
		{"a node is cordoned", func() { i.Upsert(gpuNode("b", cordoned)) }, 1},
		{"it is not any more", func() { i.Upsert(gpuNode("b")) }, 2},
		{"a node loses GPUs", func() { i.Upsert(gpuNode("b", has("nvidia.com/gpu", "7"))) }, 1},
		{"a node has none", func() { i.Upsert(gpuNode("b", gpuless)) }, 1},
		{"a node gets more", func() { i.Upsert(gpuNode("b", has("nvidia.com/gpu", "16"))) }, 3},
		{"a node is deleted", func() { i.Delete("a") }, 2},
		{"a node that is not there is deleted", func() { i.Delete("a") }, 2},
		{"the last is deleted", func() { i.Delete("b") }, 0},
	} {
		step.change()
		if got := i.Fit(pod(gpus("8")), 4).Fit; got != step.fit {
			t.Errorf("%s: %d fit, want %d", step.what, got, step.fit)
		}
	}
	if i.Len() != 0 {
		t.Errorf("%d nodes are left", i.Len())
	}
}

func TestUpsertMakesASnapshotOfWhatCounts(t *testing.T) {
	tainted := taint("team", "x", corev1.TaintEffectNoSchedule)
	for name, tc := range map[string]struct {
		change func(*corev1.Node)
		is     bool
	}{
		"a heartbeat does not count":         {func(n *corev1.Node) { n.Status.Conditions[0].LastHeartbeatTime = metav1.Now() }, false},
		"an annotation does not":             {func(n *corev1.Node) { n.Annotations = map[string]string{"x": "y"} }, false},
		"a pulled image does not":            {func(n *corev1.Node) { n.Status.Images = []corev1.ContainerImage{{SizeBytes: 1}} }, false},
		"a quantity in other words does not": {has("memory", "524288Mi"), false},
		"a taint's age does not":             {func(n *corev1.Node) { n.Spec.Taints[0].TimeAdded = &metav1.Time{Time: time.Unix(1, 0)} }, false},
		"a taint does":                       {taint("more", "", corev1.TaintEffectNoExecute), true},
		"a label does":                       {label("gpu", "h100"), true},
		"a cordon does":                      {cordoned, true},
		"readiness does":                     {status(corev1.ConditionUnknown), true},
		"a quantity does":                    {has("memory", "1Gi"), true},
		"a resource does":                    {has("rdma/hca", "1"), true},
		"a lost resource does":               {gpuless, true},
	} {
		t.Run(name, func(t *testing.T) {
			i := NewIndex(gpuNode("a", tainted))
			before := i.snapshot()
			i.Upsert(gpuNode("a", tainted, tc.change))
			if changed := i.snapshot() != before; changed != tc.is {
				t.Errorf("a new snapshot: %v", changed)
			}
		})
	}
}

func TestUpsertLetsGoOfTheOlderObject(t *testing.T) {
	i, newer := NewIndex(gpuNode("a")), gpuNode("a")
	i.Upsert(newer)
	if i.snapshot().all[0].object.Load() != newer {
		t.Error("the index keeps the older object, and a cache the newer")
	}
}

// TestReadersSeeWholeSnapshots is for the race detector, too: two nodes change
// places, so that one fits at any moment.
func TestReadersSeeWholeSnapshots(t *testing.T) {
	i := NewIndex(gpuNode("a"), gpuNode("b"), gpuNode("c"))
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for range 500 {
				if got := i.Fit(pod(gpus("8")), 3); got.Fit < 2 || got.Nodes < 3 {
					t.Errorf("%+v", got)
				}
			}
		})
	}
	for n := range 500 {
		i.Upsert(gpuNode("b", label("beat", strconv.Itoa(n/2))))
		i.Upsert(gpuNode("c", cordoned))
		i.Upsert(gpuNode("c"))
		i.Upsert(gpuNode("d"))
		i.Delete("d")
	}
	readers.Wait()
}

func TestStripKeepsWhatCounts(t *testing.T) {
	full := gpuNode("a", taint("team", "x", corev1.TaintEffectNoSchedule), cordoned)
	full.ResourceVersion = "7"
	kept := full.DeepCopy()
	full.Annotations = map[string]string{"noise": "x"}
	full.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubelet"}}
	full.Spec.PodCIDR = "10.0.0.0/24"
	full.Status.Images = []corev1.ContainerImage{{SizeBytes: 1}}
	full.Status.Addresses = []corev1.NodeAddress{{Address: "10.8.0.1"}}
	full.Status.Conditions = append(full.Status.Conditions, corev1.NodeCondition{Type: corev1.NodeDiskPressure})
	full.Status.Conditions[0].Message = "kubelet is posting ready status"
	checkSame(t, kept, Strip(full))
}

func TestStripForgetsTexts(t *testing.T) {
	for n := range maxShared {
		Strip(gpuNode(fmt.Sprint("node-", n)))
	}
	if len(texts.seen) > maxShared {
		t.Errorf("%d texts are remembered", len(texts.seen))
	}
	bare := Strip(&corev1.Node{})
	checkSame(t, &corev1.Node{}, bare)
}
