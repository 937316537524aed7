package job

import (
	"maps"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// NameLabel is on every pod of a Job, on all versions of Kubernetes;
// batch.kubernetes.io/job-name came with 1.27.
const NameLabel = "job-name"

// PodTemplate returns j's template as the Job controller uses it: with the
// namespace and the labels that its pods have, by which they may keep apart.
// The API server adds the Job's name, unless the author selects pods by hand.
// The spec is shared with j.
func PodTemplate(j *batchv1.Job, namespace string) *corev1.PodTemplateSpec {
	template := j.Spec.Template
	template.Namespace = namespace
	template.Labels = map[string]string{}
	maps.Copy(template.Labels, j.Spec.Template.Labels)
	if !ptr.Deref(j.Spec.ManualSelector, false) {
		template.Labels[NameLabel], template.Labels[batchv1.JobNameLabel] = j.Name, j.Name
	}
	return &template
}
