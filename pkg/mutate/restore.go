package mutate

import (
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"

	"github.com/taojob/taojob/pkg/job"
)

// Restore returns updated with those of our fields put back that it lost: a
// client that sends the author's manifest (kubectl replace, helm --force)
// would otherwise change the immutable template. Values are the old object's,
// never derived anew. It touches only what old's record says is ours, and
// nothing when the record is still there, since then nothing was lost.
//
// The inputs stay as they are; the result may be updated itself.
func Restore(old, updated *batchv1.Job) *batchv1.Job {
	value, injected := old.Annotations[job.Injected]
	if !injected || updated.Annotations[job.Injected] == value {
		return updated
	}
	restored := updated.DeepCopy()
	if restored.Annotations == nil {
		restored.Annotations = map[string]string{}
	}
	restored.Annotations[job.Injected] = value
	record := job.ReadRecord(old.Annotations)
	restoreJob(record.Job, &old.Spec, &restored.Spec)
	restorePod(record.Pod, &old.Spec.Template.Spec, &restored.Spec.Template.Spec)
	for i := range restored.Spec.Template.Spec.Containers {
		c := &restored.Spec.Template.Spec.Containers[i]
		if was := containerOf(&old.Spec.Template.Spec, c.Name); was != nil {
			restoreContainer(record.Containers[c.Name], was, c)
		}
	}
	return restored
}

// restoreJob puts back numbers that read as if nobody had set them.
func restoreJob(ours []string, old, updated *batchv1.JobSpec) {
	if slices.Contains(ours, "completionMode") && ptr.Deref(updated.CompletionMode, batchv1.NonIndexedCompletion) == batchv1.NonIndexedCompletion {
		updated.CompletionMode = old.CompletionMode
	}
	if slices.Contains(ours, "completions") && ptr.Deref(updated.Completions, 1) == 1 {
		updated.Completions = old.Completions
	}
	if slices.Contains(ours, "parallelism") && ptr.Deref(updated.Parallelism, 1) == 1 {
		updated.Parallelism = old.Parallelism
	}
	if slices.Contains(ours, "backoffLimit") && ptr.Deref(updated.BackoffLimit, defaultBackoffLimit) == defaultBackoffLimit {
		updated.BackoffLimit = old.BackoffLimit
	}
}

func restorePod(ours []string, old, updated *corev1.PodSpec) {
	if slices.Contains(ours, "restartPolicy") && (updated.RestartPolicy == "" || updated.RestartPolicy == corev1.RestartPolicyAlways) {
		updated.RestartPolicy = old.RestartPolicy
	}
	if slices.Contains(ours, "dnsPolicy") && (updated.DNSPolicy == "" || updated.DNSPolicy == corev1.DNSClusterFirst) {
		updated.DNSPolicy = old.DNSPolicy
	}
	if slices.Contains(ours, "subdomain") && updated.Subdomain == "" {
		updated.Subdomain = old.Subdomain
	}
	updated.Volumes = restoreList(old.Volumes, updated.Volumes, func(v corev1.Volume) bool {
		return slices.Contains(ours, "volume "+v.Name)
	})
	updated.Tolerations = restoreList(old.Tolerations, updated.Tolerations, func(t corev1.Toleration) bool {
		return slices.Contains(ours, "toleration "+t.Key)
	})
	updated.ImagePullSecrets = restoreList(old.ImagePullSecrets, updated.ImagePullSecrets, func(s corev1.LocalObjectReference) bool {
		return slices.Contains(ours, "imagePullSecret "+s.Name)
	})
}

func restoreContainer(ours []string, old, updated *corev1.Container) {
	updated.Env = restoreList(old.Env, updated.Env, func(e corev1.EnvVar) bool {
		return slices.Contains(ours, "env "+e.Name)
	})
	updated.EnvFrom = restoreList(old.EnvFrom, updated.EnvFrom, func(s corev1.EnvFromSource) bool {
		return s.SecretRef != nil && slices.Contains(ours, "envFrom "+s.SecretRef.Name)
	})
	updated.VolumeMounts = restoreList(old.VolumeMounts, updated.VolumeMounts, func(m corev1.VolumeMount) bool {
		return slices.Contains(ours, "mount "+strings.TrimSuffix(m.MountPath, "/"))
	})
}

// restoreList returns old when updated is old without some entries of ours. A
// list that the author changed as well is left for the API server to judge.
func restoreList[T any](old, updated []T, ours func(T) bool) []T {
	next := 0
	for _, entry := range old {
		if next < len(updated) && equality.Semantic.DeepEqual(entry, updated[next]) {
			next++
		} else if !ours(entry) {
			return updated
		}
	}
	if next < len(updated) {
		return updated
	}
	return old
}

func containerOf(pod *corev1.PodSpec, name string) *corev1.Container {
	i := slices.IndexFunc(pod.Containers, func(c corev1.Container) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &pod.Containers[i]
}
