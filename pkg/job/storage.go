package job

import (
	"errors"
	"path"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// minShm catches a size without a unit: "16" would be 16 bytes.
var minShm = resource.MustParse("1Mi")

// shmSize is the annotation, nil when not set. More than a training container
// may use in all is refused, since filling it would kill the container.
func (r *reader) shmSize(pod *corev1.PodSpec, names []string) *resource.Quantity {
	raw, ok := r.annotations[ShmSize]
	if !ok {
		return nil
	}
	size, err := resource.ParseQuantity(strings.TrimSpace(raw))
	if err != nil || size.Cmp(minShm) < 0 {
		r.refuse(ShmSize, "want a size of at least 1Mi, such as 8Gi")
		return nil
	}
	for _, c := range trainers(pod, names) {
		if limit, ok := MemoryLimit(pod, c); ok && size.Cmp(limit) > 0 {
			r.refuse(ShmSize, "is more than the memory limit %s of container %q, and shared memory counts against it", limit.String(), c.Name)
			return nil
		}
	}
	return &size
}

// MemoryLimit returns the memory that c may use in all: its own limit or the
// pod's, whichever is smaller. ok is false when there is none; a limit of zero
// is none to the kubelet.
func MemoryLimit(pod *corev1.PodSpec, c *corev1.Container) (limit resource.Quantity, ok bool) {
	limit = c.Resources.Limits[corev1.ResourceMemory]
	if pod.Resources == nil {
		return limit, !limit.IsZero()
	}
	if whole := pod.Resources.Limits[corev1.ResourceMemory]; !whole.IsZero() && (limit.IsZero() || whole.Cmp(limit) < 0) {
		limit = whole
	}
	return limit, !limit.IsZero()
}

// resultsDir is an absolute path or an s3:// URL; empty when not set.
func (r *reader) resultsDir() string {
	raw, ok := r.annotations[ResultsDir]
	if !ok {
		return ""
	}
	raw = strings.TrimSpace(raw)
	_, err := parseURL(raw)
	switch {
	case errors.Is(err, errBucket):
		r.refuse(ResultsDir, "%v", err)
	case err != nil && !cleanAbs(raw):
		r.refuse(ResultsDir, "want an absolute path without .. such as /results, or s3://bucket/prefix")
	default:
		return raw
	}
	return ""
}

// cleanAbs tells whether p is an absolute path that never climbs.
func cleanAbs(p string) bool {
	return path.IsAbs(p) && !strings.ContainsAny(p, "\x00\n") && path.Clean(p) == strings.TrimSuffix(p, "/") && p != "/"
}
