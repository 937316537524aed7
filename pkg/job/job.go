// Package job is the one reading of a labelled Job: its labels and
// annotations, node count, GPUs per node, ports and names. Mutation,
// validation and the Service reconciler all ask this package, so they cannot
// understand one Job in two ways. It changes nothing and knows no client.
package job

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Label selects a Job for taojob, whatever its value. On a CronJob it belongs
// on spec.jobTemplate, whose labels each Job gets.
const Label = Prefix + "job"

// queueLabel is how Kueue is told which queue admits a Job.
const queueLabel = "kueue.x-k8s.io/queue-name"

// Training is what a labelled Job asks for. The JSON form is what policies see
// as input.training.
type Training struct {
	// Name is empty while the API server still has to make one from GenerateName.
	Name         string `json:"name"`
	GenerateName string `json:"generateName,omitempty"`
	Namespace    string `json:"namespace"`

	// Nodes is the number of pods that train together, 1 or more.
	Nodes int32 `json:"nodes"`
	// Array tells that the Job's pods are independent runs of one node each.
	Array bool `json:"array"`
	// Containers are the names of the training containers, in pod order; never empty.
	Containers []string `json:"containers"`
	// GPUsPerNode is the sum over the training containers; 0 when none is asked for or known.
	GPUsPerNode int32 `json:"gpusPerNode"`

	// Service is the headless Service's name, and MasterAddr the address of rank
	// 0. On one node Service is empty and MasterAddr is localhost.
	Service    string `json:"service"`
	MasterAddr string `json:"masterAddr"`
	MasterPort int32  `json:"masterPort"`

	// ShmSize is the size asked for by annotation; nil means the default.
	ShmSize *resource.Quantity `json:"-"`
	// Credentials names the Secret that holds the run's credentials.
	Credentials Credentials `json:"-"`
	// ResultsDir is an absolute path or an s3:// URL; empty when not set.
	ResultsDir string `json:"resultsDir,omitempty"`
	// Inputs and Outputs are what is staged from and to S3; nil for nothing.
	Inputs  []Transfer `json:"-"`
	Outputs []Transfer `json:"-"`

	// Unknown are the annotations under our prefix that mean nothing, sorted.
	Unknown []string `json:"-"`

	// Suspended and Queue tell that something else decides when the Job starts.
	Suspended bool   `json:"suspended"`
	Queue     string `json:"queue"`
}

// MultiNode tells whether the pods have to find each other.
func (t *Training) MultiNode() bool { return t.Nodes > 1 }

// Selected tells whether labels (nil for none) select a Job for taojob.
func Selected(labels map[string]string) bool {
	_, ok := labels[Label]
	return ok
}

// Read says what j asks for. It accepts a Job with and without the API
// server's defaults and reads an injected Job as it read the plain one.
//
// The errors hold the path of every bad annotation or field, and never its
// value; what could be read is returned beside them.
func Read(j *batchv1.Job) (*Training, field.ErrorList) {
	r := &reader{annotations: j.Annotations}
	pod := &j.Spec.Template.Spec
	t := &Training{
		Name:         j.Name,
		GenerateName: j.GenerateName,
		Namespace:    j.Namespace,
		Suspended:    j.Spec.Suspend != nil && *j.Spec.Suspend,
		Queue:        j.Labels[queueLabel],
	}
	t.Nodes = r.nodes(&j.Spec)
	t.Array = t.Nodes == 1 && runs(&j.Spec) > 1
	t.Containers = r.containers(pod)
	t.GPUsPerNode = r.gpusPerNode(pod, t.Containers)
	t.MasterPort = r.masterPort(pod, t.Containers)
	t.Service, t.MasterAddr = addresses(t, pod.Subdomain)
	t.ShmSize = r.shmSize(pod, t.Containers)
	t.Credentials = r.credentials(j)
	t.ResultsDir = r.resultsDir()
	t.Inputs = r.transfers(Inputs, parseInput)
	t.Outputs = r.transfers(Outputs, parseOutput)
	t.Unknown = r.unknown()
	r.copied(j.Name)
	return t, r.errs
}

// OfCronJob returns a Job as the CronJob controller makes one from c, without
// a scheduled time: it has the CronJob's own name and controller reference.
func OfCronJob(c *batchv1.CronJob) *batchv1.Job {
	template := c.Spec.JobTemplate.DeepCopy()
	j := &batchv1.Job{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	j.Name, j.GenerateName, j.Namespace = c.Name, "", c.Namespace
	j.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(c, batchv1.SchemeGroupVersion.WithKind("CronJob"))}
	return j
}

// Trainers returns pointers to the containers of pod that t names, in pod
// order, so that a caller may change them in place.
func (t *Training) Trainers(pod *corev1.PodSpec) []*corev1.Container {
	return trainers(pod, t.Containers)
}

func trainers(pod *corev1.PodSpec, names []string) []*corev1.Container {
	var found []*corev1.Container
	for i := range pod.Containers {
		for _, name := range names {
			if pod.Containers[i].Name == name {
				found = append(found, &pod.Containers[i])
				break
			}
		}
	}
	return found
}
