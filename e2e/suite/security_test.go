package suite

import (
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// TestARestrictedNamespaceTakesAnInjectedJob uses the strictest of the Pod
// Security Standards. It warns of Jobs, and refuses pods.
func TestARestrictedNamespaceTakesAnInjectedJob(t *testing.T) {
	t.Parallel()
	for shape, edits := range shapes() {
		t.Run(shape, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t, "pod-security.kubernetes.io/enforce=restricted", "pod-security.kubernetes.io/warn=restricted")
			if out := s.apply(manifest("bad", edits...)); !strings.Contains(out, "would violate PodSecurity") {
				t.Errorf("the namespace is not restricted: %s", out)
			}
			s.lacks(s.apply(manifest("good", append([]edit{restricted}, edits...)...)), "Warning")
			s.pods(1+len(edits), func(pod *corev1.Pod) error { return nil })
		})
	}
}

func restricted(j *batchv1.Job) {
	j.Spec.Template.Spec.SecurityContext = &corev1.PodSecurityContext{
		RunAsNonRoot: ptr.To(true), RunAsUser: ptr.To[int64](1000),
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
	container(j).SecurityContext = &corev1.SecurityContext{
		AllowPrivilegeEscalation: ptr.To(false),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
}
