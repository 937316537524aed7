package suite

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/taojob/taojob/e2e/webhook"
)

// bystanders are what a cluster without our webhook must still take.
const bystanders = `apiVersion: batch/v1
kind: Job
metadata: {name: unlabelled}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: none}]}}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: labelled}
spec:
  schedule: "0 0 1 1 *"
  jobTemplate:
    metadata: {labels: {tao.nvidia.com/job: "true"}}
    spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: none}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: bystander, labels: {tao.nvidia.com/job: "true"}}
spec:
  replicas: 0
  selector: {matchLabels: {app: bystander}}
  template: {metadata: {labels: {app: bystander}}, spec: {containers: [{name: main, image: none}]}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: bystander, labels: {tao.nvidia.com/job: "true"}}
`

// withoutWebhook takes all replicas away and gives them back.
func (s *site) withoutWebhook(t *testing.T) {
	ns := s.namespace(t)
	jobs := s.client.BatchV1().Jobs(ns)
	if _, err := jobs.Create(t.Context(), webhook.Job("running"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	s.scale(t, 0)
	await(t, time.Minute, "the last pod is gone", func(ctx context.Context) error {
		if n := len(s.pods(ctx, t)); n > 0 {
			return fmt.Errorf("%d are there", n)
		}
		return nil
	})

	await(t, time.Minute, "the Service has no pods", s.unserved)
	s.ill(t)
	s.must(t, bystanders, s.kubectl, "-n", ns, "apply", "-f", "-")
	_, err := jobs.Create(t.Context(), webhook.Job("labelled"), metav1.CreateOptions{})
	if err == nil || !strings.Contains(err.Error(), `failed calling webhook "inject.tao.nvidia.com"`) {
		t.Errorf("create a labelled Job: %v; want an error that names the webhook", err)
	}
	foreground := metav1.DeletePropagationForeground
	if err := jobs.Delete(t.Context(), "running", metav1.DeleteOptions{PropagationPolicy: &foreground}); err != nil {
		t.Error(err)
	}
	await(t, time.Minute, "a labelled Job is deleted in the foreground", func(ctx context.Context) error {
		return gone(jobs.Get(ctx, "running", metav1.GetOptions{}))
	})

	s.scale(t, replicas)
	s.answering(t)
	if _, err := jobs.Create(t.Context(), webhook.Job("labelled"), metav1.CreateOptions{}); err != nil {
		t.Error(err)
	}
}

// unserved tells whether nobody is behind the webhook's Service any more, which
// is known a moment after its pods have gone.
func (s *site) unserved(ctx context.Context) error {
	slices, err := s.client.DiscoveryV1().EndpointSlices(system).List(ctx, metav1.ListOptions{LabelSelector: "kubernetes.io/service-name=" + deployment})
	if err != nil {
		return err
	}
	for _, slice := range slices.Items {
		if n := len(slice.Endpoints); n > 0 {
			return fmt.Errorf("%d endpoints are there", n)
		}
	}
	return nil
}
