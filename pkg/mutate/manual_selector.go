package mutate

import (
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/taojob/taojob/pkg/job"
)

// lostPods says what manualSelector takes away: the API server then leaves the
// pod template's labels as they are, so that the Service selects no pod by the
// Job's name.
const lostPods = "with it, pods lack the label " + job.NameLabel + ", by which their Service finds them: " +
	"leave it out, or give the pod template that label, with the Job's name"

// nameless tells whether the pods of a multi-node Job lack the label with its name.
func nameless(j *batchv1.Job, t *job.Training) bool {
	return t.MultiNode() && ptr.Deref(j.Spec.ManualSelector, false) &&
		(t.Name == "" || j.Spec.Template.Labels[job.NameLabel] != t.Name)
}

// ownSubdomain tells whether the author chose the Service's name, and so may
// have made one that selects the pods in another way.
func ownSubdomain(t *job.Training) bool {
	return t.Service != "" && t.Service != job.ServiceName(t.Name)
}

// lostPodsError refuses a Job whose pods our Service would not find.
func lostPodsError(j *batchv1.Job, t *job.Training) field.ErrorList {
	if !nameless(j, t) || ownSubdomain(t) {
		return nil
	}
	return field.ErrorList{refused(field.NewPath("spec", "manualSelector"), lostPods)}
}

// manualSelector injects nothing; it tells what the author's own Service has to do.
func manualSelector(in *injection) {
	if nameless(in.job, in.training) && ownSubdomain(in.training) {
		in.warn("spec.manualSelector: %s; else a Service of your own, named as the subdomain, has to select them", lostPods)
	}
}
