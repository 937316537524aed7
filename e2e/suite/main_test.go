// Package suite tests the webhook where it works: asked by a real API server,
// with the clients that people use. What they write goes through kubectl of
// the cluster's version, Kustomize or Helm, and what the cluster then holds is
// compared.
//
// One control plane serves all tests, of the version in E2E_KUBE_VERSION. Each
// test has a namespace of its own. On a cluster older than 1.28 Jobs of more
// than one node are refused, and the tests about them show that instead.
package suite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/taojob/taojob/e2e/cluster"
	"github.com/taojob/taojob/e2e/webhook"
)

// versionEnv names the variable that chooses the Kubernetes version.
const versionEnv = "E2E_KUBE_VERSION"

// canary stands for a credential that somebody wrote into a manifest. It looks
// like a Hugging Face token, and nobody may ever print it.
const canary = "hf_CanaryThatNobodyMayEverSee0123456"

// The GPU nodes are tainted, as a cloud's are. One MIG slice each lets another
// webhook ask for a second kind of GPU.
const (
	gpuNodes = 2
	migSlice = "nvidia.com/mig-1g.5gb"
)

var (
	plane           *cluster.Cluster
	hook            *webhook.Webhook
	helmBinary      string
	kustomizeBinary string
	home            string // of the clients, for their caches
)

func TestMain(m *testing.M) {
	code, err := runAll(context.Background(), m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "suite:", err)
		code = 1
	}
	os.Exit(code)
}

func runAll(ctx context.Context, m *testing.M) (code int, err error) {
	if home, err = os.MkdirTemp("", "taojob-suite-"); err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	if helmBinary, err = cluster.Helm(ctx); err != nil {
		return 1, err
	}
	if kustomizeBinary, err = cluster.Kustomize(ctx); err != nil {
		return 1, err
	}
	if plane, err = cluster.Start(ctx, cluster.Options{Version: os.Getenv(versionEnv)}); err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, plane.Stop()) }()
	if err := addNodes(ctx); err != nil {
		return 1, err
	}
	if hook, err = webhook.Start(ctx, plane, webhook.Options{Log: os.Stderr}); err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, hook.Stop()) }()
	if code = m.Run(); code != 0 {
		err = keepLog()
	}
	return code, errors.Join(err, searchLog())
}

func addNodes(ctx context.Context) error {
	specs := []cluster.NodeSpec{{Name: "cpu-0"}}
	for i := range gpuNodes {
		specs = append(specs, cluster.NodeSpec{
			Name: fmt.Sprintf("gpu-%d", i), GPUs: 8,
			Resources: map[corev1.ResourceName]string{migSlice: "1"},
			Taints:    []corev1.Taint{{Key: string(cluster.GPU), Value: "present", Effect: corev1.TaintEffectNoSchedule}},
		})
	}
	for _, spec := range specs {
		if err := plane.AddNode(ctx, spec); err != nil {
			return err
		}
	}
	return nil
}

// searchLog makes sure that all the tests left no trace of the canary in the
// webhook's log, which is at debug level.
func searchLog() error {
	log, err := os.ReadFile(hook.LogFile)
	if err != nil {
		return fmt.Errorf("search the webhook's log: %w", err)
	}
	if len(log) == 0 {
		return errors.New("search the webhook's log: it is empty, so that nothing is proven")
	}
	for line := range bytes.Lines(log) {
		if bytes.Contains(line, []byte(canary)) {
			return fmt.Errorf("the webhook logged a credential: %s", strings.ReplaceAll(string(line), canary, "<canary>"))
		}
	}
	return nil
}

// keepLog saves the webhook's log from the cluster's temporary folder.
func keepLog() error {
	log, err := os.ReadFile(hook.LogFile)
	if err != nil {
		return err
	}
	path := filepath.Join(os.TempDir(), "taojob-suite-webhook.log")
	fmt.Fprintln(os.Stderr, "suite: the webhook's log is", path)
	return os.WriteFile(path, log, 0o600)
}

// old tells whether the cluster is older than 1.28, where Jobs of more than
// one node are refused.
func old() bool { return strings.HasPrefix(plane.Assets.Version, "1.27.") }
