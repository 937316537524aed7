package mutate

import (
	"fmt"
	"path"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/taojob/taojob/pkg/job"
)

const (
	shmPath   = "/dev/shm"
	shmVolume = "tao-shm"
)

var defaultShmSize = resource.MustParse("16Gi")

// sharedMemory backs /dev/shm with memory: data loaders and NCCL crash on the
// container runtime's 64 MiB. What the author placed there wins, and so does
// the host's shared memory where the pod uses that.
func sharedMemory(in *injection) {
	var bare []*corev1.Container
	for _, c := range in.trainers {
		switch reason := taken(in, c); {
		case reason == "":
			bare = append(bare, c)
		case in.training.ShmSize != nil && !in.added(c, "mount "+shmPath):
			in.warn("annotation %s has no effect on container %q: %s", job.ShmSize, c.Name, reason)
		}
	}
	if len(bare) == 0 {
		return
	}
	name := in.memoryVolume(shmSize(in, bare))
	for _, c := range bare {
		c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: name, MountPath: shmPath})
		in.addedTo(c, "mount "+shmPath)
	}
}

// taken says why c gets no shared memory of ours; "" if it does. The API
// server refuses a mount in the place of a block device, and one within a /dev
// of the author's could hide what that has there.
func taken(in *injection, c *corev1.Container) string {
	switch {
	case in.pod.HostIPC:
		return "the pod uses the host's shared memory"
	case mountAt(c, shmPath) != nil:
		return "it mounts something at " + shmPath + " itself"
	case mountAt(c, path.Dir(shmPath)) != nil:
		return "it mounts something at " + path.Dir(shmPath) + " itself"
	case deviceAt(c, shmPath):
		return "it has a block device at " + shmPath
	}
	return ""
}

// shmSize is the annotation's, else the default, but at most half of the
// smallest memory limit: shared memory counts against it.
func shmSize(in *injection, containers []*corev1.Container) resource.Quantity {
	if in.training.ShmSize != nil {
		return *in.training.ShmSize
	}
	size := defaultShmSize
	if !in.opt.ShmSize.IsZero() {
		size = in.opt.ShmSize
	}
	for _, c := range containers {
		limit, ok := job.MemoryLimit(in.pod, c)
		if half := resource.NewQuantity(limit.Value()/2, limit.Format); ok && half.Cmp(size) < 0 {
			size = *half
		}
	}
	return size
}

// memoryVolume returns the name of our memory volume, added if it is not there
// yet, beside a volume of the author's that happens to have its name.
func (in *injection) memoryVolume(size resource.Quantity) string {
	name := shmVolume
	for n := 2; ; n++ {
		i := slices.IndexFunc(in.pod.Volumes, func(v corev1.Volume) bool { return v.Name == name })
		if i < 0 {
			break
		}
		if slices.Contains(in.record.Pod, "volume "+name) {
			return name
		}
		name = fmt.Sprintf("%s-%d", shmVolume, n)
	}
	in.pod.Volumes = append(in.pod.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
		EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory, SizeLimit: &size},
	}})
	in.addedToPod("volume " + name)
	return name
}
