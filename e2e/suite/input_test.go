package suite

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// These Jobs are created, not applied: apply keeps a copy of the manifest in an
// annotation, which may not be that large.
var create = slices.Concat([]string{"create"}, fromInput)

func TestTenThousandNodesAreCounted(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.refused(manifest("huge", nodes("10000"), gpus(8)), create, "gpu-capacity", "10000 pods are needed", "only 2 can be placed")
}

func TestMoreNodesThanAJobCanHaveAreRefused(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.refused(manifest("huge", nodes("100001")), create, "metadata.annotations[tao.nvidia.com/nodes]", "100001 is out of range")
}

func TestALargeJobIsInjected(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		edit edit
		envs int
	}{
		"one of 1.4 MB":                    {large(1_400_000), 0},
		"one with five thousand variables": {variables(5000), 5000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t)
			s.do(manifest("large", tc.edit), create...)
			j := s.job("large")
			checkInjected(t, j, "tao-creds-large")
			if got, want := len(container(j).Env), tc.envs+len(oneNode("", 1)); got != want {
				t.Errorf("%d variables, want %d", got, want)
			}
		})
	}
}

func large(size int) edit {
	return func(j *batchv1.Job) {
		for range size / 1000 {
			container(j).Args = append(container(j).Args, strings.Repeat("word ", 199))
		}
	}
}

func variables(n int) edit {
	return func(j *batchv1.Job) {
		for i := range n {
			env(fmt.Sprintf("SETTING_%d", i), "some value")(j)
		}
	}
}

// TestADoubledVariable has a user's port twice. The last one counts, as for
// the kubelet, and nothing is added to the two.
func TestADoubledVariable(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.do(manifest("twice", env("MASTER_PORT", "1"), env("MASTER_PORT", "2")), create...)
	c := container(s.job("twice"))
	ports := slices.DeleteFunc(slices.Clone(c.Env), func(e corev1.EnvVar) bool { return e.Name != "MASTER_PORT" })
	if len(ports) != 2 || ports[0].Value != "1" || ports[1].Value != "2" {
		t.Errorf("the ports are %v", ports)
	}
}

// TestABlockDeviceInPlaceOfSharedMemory has what the API server takes only
// without a mount in the same place.
func TestABlockDeviceInPlaceOfSharedMemory(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	device := func(j *batchv1.Job) {
		container(j).VolumeDevices = []corev1.VolumeDevice{{Name: "disk", DevicePath: "/dev/shm"}}
		j.Spec.Template.Spec.Volumes = []corev1.Volume{{Name: "disk", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "disk"},
		}}}
	}
	s.do(manifest("device", device), create...)
	if mounts := container(s.job("device")).VolumeMounts; len(mounts) > 0 {
		t.Errorf("mounted: %v", mounts)
	}
}

func TestWhatTheAPIServerRefusesItself(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	noContainers := func(j *batchv1.Job) { j.Spec.Template.Spec.Containers = []corev1.Container{} }
	s.refused(manifest("empty", noContainers), create, "spec.template.spec.containers: Required value")
	mistyped := strings.Replace(manifest("mistyped"), `"template":`, `"tmplate":{},"template":`, 1)
	s.refused(mistyped, create, `unknown field "spec.tmplate"`)
	s.contains(s.do(mistyped, append(create, "--validate=warn")...), `Warning: unknown field "spec.tmplate"`)
	checkInjected(t, s.job("mistyped"), "tao-creds-mistyped")
}
