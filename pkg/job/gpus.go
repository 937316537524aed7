package job

import (
	"math"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// vendor is the prefix under which NVIDIA's device plugin advertises devices.
const vendor = "nvidia.com/"

// maxGPUsPerNode is far above any machine; it catches a slipped digit.
const maxGPUsPerNode = 1024

// IsGPU tells whether a resource counts GPUs: whole ones, time-sliced ones
// (gpu.shared) and MIG slices, under the names of NVIDIA's device plugin.
func IsGPU(name corev1.ResourceName) bool {
	switch name {
	case vendor + "gpu", vendor + "gpu.shared":
		return true
	}
	return strings.HasPrefix(string(name), vendor+"mig-")
}

// GPUs returns how many GPUs a container's limits ask for. Extended resources
// cannot be overcommitted, so the limit is the request.
func GPUs(c *corev1.Container) int32 {
	var sum int64
	for name, quantity := range c.Resources.Limits {
		if IsGPU(name) {
			sum += min(max(quantity.Value(), 0), math.MaxInt32)
		}
	}
	return int32(min(sum, math.MaxInt32))
}

func (r *reader) gpusPerNode(pod *corev1.PodSpec, names []string) int32 {
	if n, ok := r.number(GPUsPerNode, 0, maxGPUsPerNode); ok {
		return n
	}
	var sum int64
	for _, c := range trainers(pod, names) {
		sum += int64(GPUs(c))
	}
	return int32(min(sum, math.MaxInt32))
}
