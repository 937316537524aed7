package mutate

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/taojob/taojob/pkg/job"
)

// gpuToleration lets pods that ask for GPUs onto nodes that are tainted to keep
// all others away. The taint's key is the resource's name, as the API server's
// ExtendedResourceToleration plugin has it; few clusters turn that on.
func gpuToleration(in *injection) {
	for _, key := range gpuResources(in.pod) {
		if !tolerated(in.pod.Tolerations, key) {
			in.pod.Tolerations = append(in.pod.Tolerations, corev1.Toleration{
				Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule,
			})
			in.addedToPod("toleration " + key)
		}
	}
}

// gpuResources are the names under which the pod's containers ask for GPUs, sorted.
func gpuResources(pod *corev1.PodSpec) []string {
	names := map[string]bool{}
	for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
		for name, quantity := range c.Resources.Limits {
			if job.IsGPU(name) && !quantity.IsZero() {
				names[string(name)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// tolerated tells whether every NoSchedule taint with this key is tolerated,
// whatever its value.
func tolerated(tolerations []corev1.Toleration, key string) bool {
	return slices.ContainsFunc(tolerations, func(t corev1.Toleration) bool {
		return t.Operator == corev1.TolerationOpExists && (t.Key == key || t.Key == "") &&
			(t.Effect == corev1.TaintEffectNoSchedule || t.Effect == "")
	})
}
