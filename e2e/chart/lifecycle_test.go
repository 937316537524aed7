package chart

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/taojob/taojob/e2e/internal/wait"
)

// patience is how long the garbage collector may take.
const patience = time.Minute

// installed are the objects of an installation in every mode.
var installed = []string{
	"ClusterRole <none> taojob-webhook",
	"ClusterRoleBinding <none> taojob-webhook",
	"ConfigMap taojob-system taojob-config",
	"Deployment taojob-system taojob-webhook",
	"MutatingWebhookConfiguration <none> taojob",
	"NetworkPolicy taojob-system taojob-webhook",
	"PodDisruptionBudget taojob-system taojob-webhook",
	"ResourceQuota taojob-system taojob-webhook",
	"Service taojob-system taojob-webhook",
	"ServiceAccount taojob-system taojob-webhook",
	"ValidatingWebhookConfiguration <none> taojob",
}

// certificates are the further objects of a mode.
var certificates = map[string][]string{
	"cert-manager": {
		"Certificate taojob-system taojob-webhook",
		"Certificate taojob-system taojob-webhook-ca",
		"Issuer taojob-system taojob-webhook-ca",
		"Issuer taojob-system taojob-webhook-root",
		"Secret taojob-system taojob-webhook-ca",
		"Secret taojob-system taojob-webhook-tls",
	},
	"self": {
		"Role taojob-system taojob-webhook",
		"RoleBinding taojob-system taojob-webhook",
		"Secret taojob-system taojob-webhook-tls",
	},
}

// TestLifecycle upgrades from the chart that was there before, goes back and
// forth again, and takes the installation away. What others have written into
// its objects stays all the while, and nothing stays behind.
func TestLifecycle(t *testing.T) {
	previous, err := filepath.Glob("testdata/taojob-*.tgz")
	if err != nil || len(previous) != 1 {
		t.Fatalf("find the previous chart: %v, %v", previous, err)
	}
	current := filepath.Join(root, folder)
	for mode, more := range certificates {
		t.Run(mode, func(t *testing.T) {
			before := everything(t)
			upgrade := []string{"upgrade", "--install", "taojob", "-n", Namespace, "--set", "certs.mode=" + mode}
			must(t, "", helm, append(upgrade, previous[0])...)
			fill(t)
			want := filled(t)
			for _, step := range [][]string{
				append(slices.Clone(upgrade), current),
				{"rollback", "taojob", "1", "-n", Namespace},
				append(slices.Clone(upgrade), current),
			} {
				must(t, "", helm, step...)
				if diff := cmp.Diff(want, filled(t)); diff != "" {
					t.Errorf("helm %s changes what it should leave (-before +after):\n%s", step[0], diff)
				}
			}
			if diff := cmp.Diff(sorted(installed, more), made(t, before)); diff != "" {
				t.Errorf("what an installation consists of (-want +got):\n%s", diff)
			}
			uninstall(t, before)
		})
	}
}

// fill writes what cert-manager or the webhook itself would: the authority into
// every webhook, and the certificate into the Secret.
func fill(t *testing.T) {
	t.Helper()
	for configuration, webhooks := range map[string]int{"mutatingwebhookconfiguration": 1, "validatingwebhookconfiguration": 2} {
		var patch []string
		for i := range webhooks {
			patch = append(patch, fmt.Sprintf(`{"op": "add", "path": "/webhooks/%d/clientConfig/caBundle", "value": %q}`, i, authority(t)))
		}
		must(t, "", plane.Assets.Kubectl(), "patch", configuration, "taojob", "--type=json", "-p", "["+strings.Join(patch, ",")+"]")
	}
	must(t, "", plane.Assets.Kubectl(), "-n", Namespace, "patch", "secret", "taojob-webhook-tls", "-p", `{"stringData": {"tls.crt": "certificate"}}`)
}

// filled reads what fill has written, and what the cluster has given.
func filled(t *testing.T) string {
	t.Helper()
	read := func(kind, name, path string) string {
		return must(t, "", plane.Assets.Kubectl(), "-n", Namespace, "get", kind, name, "-o", "jsonpath="+path) + "\n"
	}
	return read("mutatingwebhookconfiguration", "taojob", "{.webhooks[*].clientConfig.caBundle}") +
		read("validatingwebhookconfiguration", "taojob", "{.webhooks[*].clientConfig.caBundle}") +
		read("service", "taojob-webhook", "{.spec.clusterIP}") +
		read("deployment", "taojob-webhook", "{.metadata.uid}") +
		read("secret", "taojob-webhook-tls", "{.data}")
}

// authority is a certificate in base64, which the API server looks into.
func authority(t *testing.T) string {
	t.Helper()
	kubeconfig := must(t, "", plane.Assets.Kubectl(), "config", "view", "--raw", "--flatten",
		"-o", "jsonpath={.clusters[0].cluster.certificate-authority-data}")
	if kubeconfig == "" {
		t.Fatal("the kubeconfig names no authority")
	}
	return kubeconfig
}

// uninstall takes the installation away, and waits until the cluster is what it
// was before.
func uninstall(t *testing.T, before []string) {
	t.Helper()
	must(t, "", helm, "uninstall", "taojob", "-n", Namespace, "--wait")
	settle(t, before)
}

// settle waits until the cluster is what it was before: what goes takes with it
// what was made for it, in a moment.
func settle(t *testing.T, before []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err := wait.For(ctx, time.Second, func(context.Context) error {
		if diff := cmp.Diff(before, everything(t)); diff != "" { //nolint:contextcheck // it is that of the test
			return fmt.Errorf("what is left behind (-before +after):\n%s", diff)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// made lists the objects of a namespace or the cluster that were not there
// before, but for those that Helm and the cluster's controllers make of others.
func made(t *testing.T, before []string) []string {
	t.Helper()
	return slices.DeleteFunc(everything(t), func(object string) bool {
		kind, _, _ := strings.Cut(object, " ")
		return slices.Contains(before, object) || strings.Contains(object, " sh.helm.release.v1.") ||
			slices.Contains([]string{"EndpointSlice", "Endpoints", "IPAddress", "Pod", "ReplicaSet"}, kind)
	})
}

// passing are kinds of objects that come and go by themselves.
var passing = []string{"events", "events.events.k8s.io", "leases.coordination.k8s.io", "componentstatuses"}

// everything lists all objects of the cluster by kind, namespace and name.
func everything(t *testing.T) []string {
	t.Helper()
	kubectl := plane.Assets.Kubectl()
	kinds := slices.DeleteFunc(strings.Fields(must(t, "", kubectl, "api-resources", "--verbs=list", "-o", "name")),
		func(kind string) bool { return slices.Contains(passing, kind) })
	out := must(t, "", kubectl, "get", strings.Join(kinds, ","), "-A", "--ignore-not-found", "--show-kind", "--no-headers",
		"-o", "custom-columns=KIND:.kind,NAMESPACE:.metadata.namespace,NAME:.metadata.name")
	var objects []string
	for line := range strings.Lines(out) {
		objects = append(objects, strings.Join(strings.Fields(line), " "))
	}
	slices.Sort(objects)
	return slices.Compact(objects)
}

// sorted are the strings of several lists.
func sorted(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return all
}
