// Package mutate adds to a Job what a distributed training run needs and its
// author left out.
//
// Every injector is a pure function of the Job and the options: no clock, no
// client, no randomness. Running the chain on its own output changes nothing,
// so the API server may call the webhook twice. What the author wrote wins;
// each injector records what it added.
package mutate

import (
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/taojob/taojob/pkg/job"
)

// Options are the cluster's settings for injection. The zero value injects
// nothing that only a cluster's owner can know.
type Options struct {
	// Env are the cluster's defaults for training containers, such as
	// NCCL_SOCKET_IFNAME; nil for none.
	Env map[string]string
	// ShmSize is the default size of /dev/shm; zero means 16Gi.
	ShmSize resource.Quantity
	// ImagePullSecret is used for nvcr.io images of Jobs that name none; empty for none.
	ImagePullSecret string
	// NameSuffix completes the name of a multi-node Job that has only a
	// generateName. The caller draws it, five characters at random.
	NameSuffix string
}

// Result is an injected Job and what a person should know of it.
type Result struct {
	// Job is a copy; the input stays as it was.
	Job *batchv1.Job
	// Training is the reading of Job after injection.
	Training *job.Training
	// Warnings are whole sentences for the author, in the chain's order; nil for none.
	Warnings []string
}

// chain is every injection, in order. Injectors of environment variables put
// theirs before the author's, in the order in which they stand here.
var chain = []func(*injection){
	generatedName, // first: the names that the others inject depend on it
	indexedJob,
	restartPolicy,
	dnsPolicy,
	subdomain,
	rendezvousEnv,
	torchrunEnv, // after rendezvousEnv, whose values it repeats
	resultsRoot,
	clusterEnv,
	credentials,
	sharedMemory,
	gpuToleration,
	pullSecret,
	unknownAnnotations,
	portConflict, // from here on: they only look, at what all others left
	manualSelector,
	selfReference,
	uncountedDevices,
}

// Mutate returns j as the cluster should store it. The input may have the API
// server's defaults or not. The errors are those of job.Read, and of
// what cannot work; by field path and without values. Then the Result is nil.
func Mutate(j *batchv1.Job, opt Options) (*Result, field.ErrorList) {
	t, errs := job.Read(j)
	errs = append(errs, staging(t)...)
	errs = append(errs, names(t)...)
	errs = append(errs, lostPodsError(j, t)...)
	errs = append(errs, tinyMemory(&j.Spec.Template.Spec, t)...)
	if len(errs) > 0 {
		return nil, errs
	}
	in := newInjection(j.DeepCopy(), t, opt)
	for _, inject := range chain {
		inject(in)
	}
	in.writeRecord()
	return &Result{Job: in.job, Training: in.training, Warnings: in.warnings}, nil
}
