package doctor

import (
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/taojob/taojob/pkg/job"
)

// goodJob is a Job that every cluster takes: it asks for nothing, and keeps to
// the restricted Pod Security Standard.
func goodJob() *batchv1.Job {
	yes, no := true, false
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: "tao-doctor", Labels: map[string]string{job.Label: "doctor"}},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			SecurityContext: &corev1.PodSecurityContext{
				RunAsNonRoot: &yes, SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
			Containers: []corev1.Container{{
				Name: "train", Image: "none",
				SecurityContext: &corev1.SecurityContext{
					AllowPrivilegeEscalation: &no, Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
				},
			}},
		}}},
	}
}

// badJob is the same with a credential in it: nobody's, but of the form that
// Hugging Face's have.
func badJob() *batchv1.Job {
	j := goodJob()
	j.Spec.Template.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "HF_TOKEN", Value: "hf_" + strings.Repeat("DoctorsTrial", 3)[:34]}}
	return j
}
