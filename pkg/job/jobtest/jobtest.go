// Package jobtest builds Jobs for tests. Every step returns a copy, so cases of
// a table may share a beginning without sharing state.
package jobtest

import (
	"maps"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/taojob/taojob/pkg/job"
)

// Job is a Job being built.
type Job struct{ obj *batchv1.Job }

// New starts with a labelled Job in namespace "default" whose one container
// "tao" asks for nothing.
func New(name string) Job {
	return Job{&batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", Labels: map[string]string{job.Label: "true"}},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "tao", Image: "nvcr.io/nvidia/tao/tao-toolkit:6.25.7-pyt"}},
		}}},
	}}
}

// Obj returns the Job, a copy.
func (b Job) Obj() *batchv1.Job { return b.obj.DeepCopy() }

// With changes the Job itself.
func (b Job) With(change func(*batchv1.Job)) Job {
	obj := b.Obj()
	change(obj)
	return Job{obj}
}

// Pod changes the pod's spec.
func (b Job) Pod(change func(*corev1.PodSpec)) Job {
	return b.With(func(j *batchv1.Job) { change(&j.Spec.Template.Spec) })
}

// Trainer changes the first container.
func (b Job) Trainer(change func(*corev1.Container)) Job {
	return b.Pod(func(p *corev1.PodSpec) { change(&p.Containers[0]) })
}

// Annotate sets an annotation of the Job.
func (b Job) Annotate(key, value string) Job {
	return b.With(func(j *batchv1.Job) { j.Annotations = set(j.Annotations, key, value) })
}

// Label sets a label of the Job.
func (b Job) Label(key, value string) Job {
	return b.With(func(j *batchv1.Job) { j.Labels = set(j.Labels, key, value) })
}

func set(m map[string]string, key, value string) map[string]string {
	m = maps.Clone(m)
	if m == nil {
		m = map[string]string{}
	}
	m[key] = value
	return m
}

// GenerateName replaces the name by a prefix.
func (b Job) GenerateName(prefix string) Job {
	return b.With(func(j *batchv1.Job) { j.Name, j.GenerateName = "", prefix })
}

// Indexed asks for an Indexed Job with these numbers.
func (b Job) Indexed(completions, parallelism int32) Job {
	return b.Runs(completions, parallelism).With(func(j *batchv1.Job) {
		j.Spec.CompletionMode = ptr.To(batchv1.IndexedCompletion)
	})
}

// Runs sets completions and parallelism.
func (b Job) Runs(completions, parallelism int32) Job {
	return b.With(func(j *batchv1.Job) {
		j.Spec.Completions, j.Spec.Parallelism = &completions, &parallelism
	})
}

// Defaulted sets what the API server sets before admission.
func (b Job) Defaulted() Job {
	return b.With(func(j *batchv1.Job) {
		s := &j.Spec
		s.Completions = cmpOr(s.Completions, 1)
		s.Parallelism = cmpOr(s.Parallelism, 1)
		s.BackoffLimit = cmpOr(s.BackoffLimit, 6)
		s.CompletionMode = cmpOr(s.CompletionMode, batchv1.NonIndexedCompletion)
		s.Suspend = cmpOr(s.Suspend, false)
		if s.Template.Spec.RestartPolicy == "" {
			s.Template.Spec.RestartPolicy = corev1.RestartPolicyAlways
		}
		if s.Template.Spec.DNSPolicy == "" {
			s.Template.Spec.DNSPolicy = corev1.DNSClusterFirst
		}
	})
}

func cmpOr[T any](p *T, value T) *T {
	if p != nil {
		return p
	}
	return &value
}

// GPUs sets the first container's nvidia.com/gpu limit.
func (b Job) GPUs(count string) Job { return b.Limit("nvidia.com/gpu", count) }

// Limit sets a limit of the first container.
func (b Job) Limit(name corev1.ResourceName, quantity string) Job {
	return b.Trainer(func(c *corev1.Container) { limit(c, name, quantity) })
}

func limit(c *corev1.Container, name corev1.ResourceName, quantity string) {
	if c.Resources.Limits == nil {
		c.Resources.Limits = corev1.ResourceList{}
	}
	c.Resources.Limits[name] = resource.MustParse(quantity)
}

// Env appends a variable to the first container.
func (b Job) Env(name, value string) Job {
	return b.Trainer(func(c *corev1.Container) { c.Env = append(c.Env, corev1.EnvVar{Name: name, Value: value}) })
}

// EnvField appends a variable that reads a field of the pod.
func (b Job) EnvField(name, path string) Job {
	return b.Trainer(func(c *corev1.Container) {
		c.Env = append(c.Env, corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{
			FieldRef: &corev1.ObjectFieldSelector{FieldPath: path},
		}})
	})
}

// EnvFromSecret appends a Secret to the first container's sources.
func (b Job) EnvFromSecret(name string, optional bool) Job {
	return b.Trainer(func(c *corev1.Container) {
		ref := &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: name}}
		if optional {
			ref.Optional = ptr.To(true)
		}
		c.EnvFrom = append(c.EnvFrom, corev1.EnvFromSource{SecretRef: ref})
	})
}

// Container appends a container with a limit, or none for an empty quantity.
func (b Job) Container(name string, resourceName corev1.ResourceName, quantity string) Job {
	return b.Pod(func(p *corev1.PodSpec) {
		c := corev1.Container{Name: name, Image: "sidecar:1"}
		if quantity != "" {
			limit(&c, resourceName, quantity)
		}
		p.Containers = append(p.Containers, c)
	})
}

// Memory appends a memory volume.
func (b Job) Memory(volume, size string) Job {
	return b.Pod(func(p *corev1.PodSpec) {
		quantity := resource.MustParse(size)
		p.Volumes = append(p.Volumes, corev1.Volume{Name: volume, VolumeSource: corev1.VolumeSource{
			EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory, SizeLimit: &quantity},
		}})
	})
}

// Mount appends a mount to the first container.
func (b Job) Mount(volume, path string) Job {
	return b.Trainer(func(c *corev1.Container) {
		c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: volume, MountPath: path})
	})
}

// Tolerate appends a toleration.
func (b Job) Tolerate(t corev1.Toleration) Job {
	return b.Pod(func(p *corev1.PodSpec) { p.Tolerations = append(p.Tolerations, t) })
}
