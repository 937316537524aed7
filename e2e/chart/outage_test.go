package chart

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/taojob/taojob/e2e/internal/wait"
	"github.com/taojob/taojob/e2e/webhook"
)

// down is what the API server says of a Job while no webhook answers.
const down = `failed calling webhook "inject.tao.nvidia.com"`

// TestOutage shows whom an installation concerns that does not answer: nobody
// but those who write labelled Jobs.
func TestOutage(t *testing.T) {
	ctx, before := t.Context(), everything(t)
	jobs := plane.Client.BatchV1().Jobs(metav1.NamespaceDefault)
	going := webhook.Job("going")
	going.Finalizers = []string{"example.com/archive"}
	if _, err := jobs.Create(ctx, going, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	configurations := silent(t)
	must(t, configurations, plane.Assets.Kubectl(), "apply", "-f", "-")
	awaitSilence(t)

	deleted := metav1.Now()
	for reason, tc := range map[string]struct {
		namespace string
		change    func(*batchv1.Job)
		refused   bool
	}{
		"a labelled Job is refused, with the webhook's name": {metav1.NamespaceDefault, nil, true},
		"an unlabelled Job is not asked about":               {metav1.NamespaceDefault, func(j *batchv1.Job) { j.Labels = nil }, false},
		"the system's own Jobs are not asked about":          {metav1.NamespaceSystem, nil, false},
		"the installation's own Jobs are not asked about":    {Namespace, nil, false},
		"a new Job cannot pass for one that is deleted": {metav1.NamespaceDefault, func(j *batchv1.Job) {
			j.DeletionTimestamp, j.Finalizers = &deleted, going.Finalizers
		}, true},
	} {
		t.Run(reason, func(t *testing.T) {
			j := webhook.Job("new")
			if tc.change != nil {
				tc.change(j)
			}
			_, err := plane.Client.BatchV1().Jobs(tc.namespace).Create(t.Context(), j, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			checkRefused(t, err, tc.refused)
		})
	}
	t.Run("a Job goes where conditions are judged", letGo)
	must(t, configurations, plane.Assets.Kubectl(), "delete", "--ignore-not-found", "-f", "-")
	settle(t, before)
}

// letGo deletes the Job that somebody has still to let go, which takes an update.
func letGo(t *testing.T) {
	jobs := plane.Client.BatchV1().Jobs(metav1.NamespaceDefault)
	patch := func() error {
		_, err := jobs.Patch(t.Context(), "going", "application/merge-patch+json", []byte(`{"metadata": {"finalizers": null}}`), metav1.PatchOptions{})
		return err
	}
	checkRefused(t, patch(), true) // it is not deleted yet
	foreground := metav1.DeletePropagationForeground
	if err := jobs.Delete(t.Context(), "going", metav1.DeleteOptions{PropagationPolicy: &foreground}); err != nil {
		t.Fatal(err)
	}
	checkRefused(t, patch(), old())
	if old() { // what is left to do there
		must(t, "", plane.Assets.Kubectl(), "delete", "mutatingwebhookconfiguration/taojob", "validatingwebhookconfiguration/taojob")
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		if err := wait.For(ctx, 100*time.Millisecond, func(context.Context) error { return patch() }); err != nil {
			t.Fatal(err)
		}
	}
}

func checkRefused(t *testing.T, err error, refused bool) {
	t.Helper()
	switch {
	case !refused && err != nil:
		t.Error(err)
	case refused && (err == nil || !strings.Contains(err.Error(), down)):
		t.Errorf("got %v, want an error that says: %s", err, down)
	}
}

// service is the address of a webhook in the cluster.
var service = regexp.MustCompile(`service: \{name: taojob-webhook, namespace: taojob-system, path: (/[a-z-]+)\}`)

// silent renders the chart's configurations to ask where nobody listens. Packets
// to the Service's address, which no kube-proxy serves here, would leave the machine.
func silent(t *testing.T) string {
	t.Helper()
	rendered := must(t, "", helm, "template", "taojob", filepath.Join(root, folder), "-n", Namespace, "--validate", "-s", "templates/webhooks.yaml")
	ports, err := plane.Ports(1)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(service.FindAllString(rendered, -1)); n != 3 {
		t.Fatalf("found %d webhooks in:\n%s", n, rendered)
	}
	return service.ReplaceAllString(rendered, fmt.Sprintf(`url: "https://127.0.0.1:%d$1"`, ports[0]))
}

// awaitSilence waits until the API server asks, which it does within a second.
func awaitSilence(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	jobs := plane.Client.BatchV1().Jobs(metav1.NamespaceDefault)
	err := wait.For(ctx, 100*time.Millisecond, func(ctx context.Context) error {
		_, err := jobs.Create(ctx, webhook.Job("new"), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err == nil {
			return errors.New("the webhook is not asked yet")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
