package rendezvous

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/validate"
)

// Inspect says whether s, which stands under the name of j's headless Service,
// can serve as that. Without a Service, nil, the name is free.
func Inspect(s *corev1.Service, j *batchv1.Job) *validate.Service {
	if s == nil {
		return &validate.Service{}
	}
	return &validate.Service{
		Exists:     true,
		Ours:       j.UID != "" && metav1.IsControlledBy(s, j),
		Headless:   Headless(s),
		SelectsJob: Selects(s, j),
	}
}

// Headless tells whether a Service has no address of its own.
func Headless(s *corev1.Service) bool { return s.Spec.ClusterIP == corev1.ClusterIPNone }

// Selects tells whether a Service selects the pods of the Job of that name, by
// labels that the Job controller gives them or the template has.
func Selects(s *corev1.Service, j *batchv1.Job) bool {
	if len(s.Spec.Selector) == 0 {
		return false
	}
	labels := job.PodTemplate(j, j.Namespace).Labels
	for key, want := range s.Spec.Selector {
		if got, ok := labels[key]; !ok || got != want {
			return false
		}
	}
	return true
}
