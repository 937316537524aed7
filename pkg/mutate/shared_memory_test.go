package mutate

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/job/jobtest"
)

func TestSharedMemory(t *testing.T) {
	own := bare.Memory("scratch", "8Gi").Mount("scratch", "/dev/shm/")
	shm := func(in jobtest.Job, size string) jobtest.Job {
		return in.Memory("tao-shm", size).Mount("tao-shm", "/dev/shm")
	}
	at := func(path string) jobtest.Job { return bare.Memory("scratch", "8Gi").Mount("scratch", path) }
	device := bare.Trainer(func(c *corev1.Container) {
		c.VolumeDevices = []corev1.VolumeDevice{{Name: "disk", DevicePath: "/dev/shm"}}
	})
	other := bare.Trainer(func(c *corev1.Container) {
		c.VolumeDevices = []corev1.VolumeDevice{{Name: "disk", DevicePath: "/dev/sdx"}}
	})
	asked := bare.Annotate(job.ShmSize, "4Gi")
	taken := bare.Pod(func(p *corev1.PodSpec) { p.Volumes = []corev1.Volume{{Name: "tao-shm"}} })
	hostIPC := bare.Pod(func(p *corev1.PodSpec) { p.HostIPC = true })
	podLimit := bare.Pod(func(p *corev1.PodSpec) {
		p.Resources = &corev1.ResourceRequirements{Limits: corev1.ResourceList{"memory": resource.MustParse("4Gi")}}
	})
	runInject(t, sharedMemory, map[string]injectCase{
		"a bare Job gets 16Gi":                           {in: bare, want: shm(bare, "16Gi")},
		"the cluster's default size counts":              {opt: Options{ShmSize: resource.MustParse("2Gi")}, in: bare, want: shm(bare, "2Gi")},
		"the annotation counts":                          {in: asked, want: shm(asked, "4Gi")},
		"the annotation may be more than half":           {in: asked.Limit("memory", "5Gi"), want: shm(asked.Limit("memory", "5Gi"), "4Gi")},
		"the default is at most half of the limit":       {in: bare.Limit("memory", "24Gi"), want: shm(bare.Limit("memory", "24Gi"), "12Gi")},
		"decimal limits are halved as they are written":  {in: bare.Limit("memory", "10G"), want: shm(bare.Limit("memory", "10G"), "5G")},
		"the whole pod's limit counts":                   {in: podLimit, want: shm(podLimit, "2Gi")},
		"a large limit leaves the default":               {in: bare.Limit("memory", "1Ti"), want: shm(bare.Limit("memory", "1Ti"), "16Gi")},
		"the author's mount wins":                        {in: own, want: own},
		"however its path is written":                    {in: at("/dev//shm"), want: at("/dev//shm")},
		"from the root, too":                             {in: at("dev/./shm"), want: at("dev/./shm")},
		"so does a /dev of the author's":                 {in: at("/dev/"), want: at("/dev/")},
		"not what is mounted beside it, or within":       {in: at("/dev/shm/x"), want: shm(at("/dev/shm/x"), "16Gi")},
		"a block device in its place wins":               {in: device, want: device},
		"not one in another place":                       {in: other, want: shm(other, "16Gi")},
		"a limit of nothing is none":                     {in: asked.Limit("memory", "0"), want: shm(asked.Limit("memory", "0"), "4Gi")},
		"nor does one halve the default":                 {in: bare.Limit("memory", "0"), want: shm(bare.Limit("memory", "0"), "16Gi")},
		"the host's shared memory wins":                  {in: hostIPC, want: hostIPC},
		"a volume of the author's with our name is kept": {in: taken, want: taken.Memory("tao-shm-2", "16Gi").Mount("tao-shm-2", "/dev/shm")},
	})
}
