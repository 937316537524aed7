package audit

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/pager"

	"github.com/taojob/taojob/pkg/job"
)

// Live reads the labelled Jobs of a cluster, and the CronJobs that make such
// Jobs, page by page. They are those of a namespace, or of all if it is empty;
// Jobs that are finished only if finished is set. The error says what could
// not be listed.
func Live(ctx context.Context, client kubernetes.Interface, namespace string, finished bool) ([]Object, error) {
	var all []Object
	jobs := func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		return client.BatchV1().Jobs(namespace).List(ctx, o)
	}
	err := pager.New(jobs).EachListItem(ctx, metav1.ListOptions{LabelSelector: job.Label}, func(o runtime.Object) error {
		if j := o.(*batchv1.Job); finished || !over(j) {
			all = append(all, OfJob(j))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	cronJobs := func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		return client.BatchV1().CronJobs(namespace).List(ctx, o)
	}
	err = pager.New(cronJobs).EachListItem(ctx, metav1.ListOptions{}, func(o runtime.Object) error {
		if c := o.(*batchv1.CronJob); job.Selected(c.Spec.JobTemplate.Labels) { // no selector sees these labels
			all = append(all, OfCronJob(c))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list cronjobs: %w", err)
	}
	return all, nil
}

// OfJob is a Job of a cluster as an object to review. It is not changed.
func OfJob(j *batchv1.Job) Object {
	return Object{APIVersion: "batch/v1", Kind: "Job", live: j}
}

// OfCronJob is a CronJob of a cluster as an object to review. It is not changed.
func OfCronJob(c *batchv1.CronJob) Object {
	return Object{APIVersion: "batch/v1", Kind: "CronJob", live: c}
}

func over(j *batchv1.Job) bool {
	for _, c := range j.Status.Conditions {
		if c.Status == "True" && (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) {
			return true
		}
	}
	return false
}
