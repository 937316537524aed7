package suite

import (
	"errors"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// TestWarningsByFacts are about what else is in the namespace: the webhook
// hears of it a moment later.
func TestWarningsByFacts(t *testing.T) {
	t.Parallel()
	dryRun := append(slices.Clone(create), "--dry-run=server")
	for name, tc := range map[string]struct {
		objects string // that are there before the Job
		edits   []edit
		texts   []string
	}{
		"GPUs that the quota does not leave": {
			`{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"gpus"},"spec":{"hard":{"requests.nvidia.com/gpu":"3"}}}`,
			[]edit{gpus(4)},
			[]string{"resource-quota", `ResourceQuota "gpus" leaves room for 0 of the 1 pod`, "4 asked for of requests.nvidia.com/gpu, and 0 of 3 used"},
		},
		"a quota on what the container does not say": {
			`{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"compute"},"spec":{"hard":{"limits.memory":"1Ti"}}}`,
			nil,
			[]string{"resource-quota", `container "train" has no limit of memory`, "the API server will refuse the pods"},
		},
		"a claim that nobody made": {
			`{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"other"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}`,
			[]edit{claim("other"), claim("coco")},
			[]string{"missing-reference", `volume "coco" is the PersistentVolumeClaim "coco", which is not in the namespace`},
		},
		"images of NVIDIA's registry without a login": {
			`{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"plain"}}`,
			[]edit{func(j *batchv1.Job) {
				container(j).Image = "nvcr.io/nvidia/tao/tao-toolkit"
				j.Spec.Template.Spec.ServiceAccountName = "plain"
			}},
			[]string{"missing-reference", `neither the pods nor ServiceAccount "plain" name one`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t)
			s.do(tc.objects, append([]string{"apply"}, fromInput...)...)
			s.eventually("the webhook knows of it", func() error {
				if r := s.kubectl(manifest("warned", tc.edits...), dryRun...); !strings.Contains(r.out, tc.texts[0]) {
					return errors.New(r.out)
				}
				return nil
			})
			s.contains(s.apply(manifest("warned", tc.edits...)), append(tc.texts, "Warning: ", "job.batch/warned created")...)
		})
	}
}

// claim mounts a PersistentVolumeClaim.
func claim(name string) edit {
	return func(j *batchv1.Job) {
		pod := &j.Spec.Template.Spec
		pod.Volumes = append(pod.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name},
		}})
	}
}
