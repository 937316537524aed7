package capacity

import (
	"fmt"
	"runtime"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// cluster has forty labels a node and no two nodes alike. One in five has
// GPUs, behind the taint that is usual for them; the last has a label alone.
func cluster(size int) []*corev1.Node {
	nodes := make([]*corev1.Node, 0, size)
	for i := range size {
		n := gpuNode(fmt.Sprintf("node-%04d.compute.internal", i), has("memory", fmt.Sprint(512<<20+i, "Ki"), "hugepages-2Mi", "0"))
		for l := range 29 {
			n.Labels[fmt.Sprintf("feature.node.kubernetes.io/cpu-cpuid.FLAG%02d", l)] = strconv.FormatBool(l%5 > 0)
		}
		for l := range 8 {
			n.Labels[fmt.Sprintf("cloud.example.com/attribute-%d", l)] = fmt.Sprintf("of-node-%d-%d", i, l)
		}
		n.Labels["pool"] = "common"
		if i == size-1 {
			n.Labels["pool"] = "rare"
		}
		if i%5 < 4 {
			gpuless(n)
		} else {
			taint("nvidia.com/gpu", "present", corev1.TaintEffectNoSchedule)(n)
		}
		nodes = append(nodes, n)
	}
	return nodes
}

func BenchmarkFit(b *testing.B) {
	gpu := tolerates("nvidia.com/gpu")
	pods := map[string]*corev1.PodTemplateSpec{
		"fits":                    pod(gpus("8"), gpu),
		"fits, spread":            pod(gpus("8"), gpu, spreadOver(corev1.LabelHostname), apart(corev1.LabelHostname)),
		"fits, selects the last":  pod(gpus("8"), gpu, selects("pool", "rare")),
		"fits, requires the last": pod(gpus("8"), gpu, requires(corev1.NodeSelectorOpIn, "pool", "rare")),
		"no GPU is asked for":     pod(quantities("cpu", "4")),
		"too large":               pod(gpus("16"), gpu),
		"not tolerated":           pod(gpus("8")),
		"not selected":            pod(gpus("8"), gpu, requires(corev1.NodeSelectorOpNotIn, "pool", "common", "rare")),
	}
	for _, size := range []int{5, 5000} {
		i := NewIndex(cluster(size)...)
		for name, p := range pods {
			b.Run(fmt.Sprintf("%s/nodes=%d", name, size), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					i.Fit(p, 1)
				}
			})
		}
	}
}

func BenchmarkUpsert(b *testing.B) {
	nodes := cluster(5000)
	i := NewIndex(nodes...)
	p := pod(gpus("8"), tolerates("nvidia.com/gpu"))
	b.Run("heartbeat", func(b *testing.B) {
		beat := [2]*corev1.Node{nodes[2500].DeepCopy(), nodes[2500].DeepCopy()}
		beat[1].Status.Conditions[0].LastHeartbeatTime = metav1.Now()
		b.ReportAllocs()
		for n := 0; b.Loop(); n++ {
			i.Upsert(beat[n%2])
		}
	})
	b.Run("change, then fit", func(b *testing.B) {
		free, cordon := nodes[2500].DeepCopy(), nodes[2500].DeepCopy()
		cordoned(cordon)
		b.ReportAllocs()
		for n := 0; b.Loop(); n++ {
			i.Upsert([]*corev1.Node{free, cordon}[n%2])
			i.Fit(p, 1)
		}
	})
	b.Run("5000 at start", func(b *testing.B) {
		for b.Loop() {
			NewIndex(nodes...).Fit(p, 1)
		}
	})
}

// BenchmarkMemory says what a node takes in a cache that is stripped and an
// index over it, after each was heard of twice.
func BenchmarkMemory(b *testing.B) {
	for b.Loop() {
		before, i, cache := heap(), NewIndex(), map[string]*corev1.Node{}
		for range 2 {
			for _, n := range cluster(5000) {
				raw, err := n.Marshal() // as it comes in: no text is shared yet
				received := &corev1.Node{}
				if err != nil || received.Unmarshal(raw) != nil {
					b.Fatal("a node cannot be copied")
				}
				cache[n.Name] = Strip(received)
				i.Upsert(received)
			}
		}
		i.Fit(pod(gpus("8")), 1)
		b.ReportMetric(float64(heap()-before)/5000, "B/node")
		runtime.KeepAlive(cache)
		runtime.KeepAlive(i)
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
