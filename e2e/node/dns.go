package node

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/taojob/taojob/e2e/cluster"
	"github.com/taojob/taojob/e2e/internal/wait"
	"github.com/taojob/taojob/e2e/webhook"
)

// The images of the node's own pods.
const (
	pauseImage = "docker.io/taojob/pause:node"
	dnsImage   = "docker.io/taojob/coredns:node"
)

//go:embed coredns.yaml
var dnsManifest string

// importPause gives containerd the image that holds a pod's namespaces.
func (n *Node) importPause(ctx context.Context) error {
	root, err := webhook.Root()
	if err != nil {
		return err
	}
	path := filepath.Join(n.Dir, "pause")
	if err := Compile(ctx, root, "e2e/node/pause", path); err != nil {
		return err
	}
	return n.Import(ctx, Image{Name: pauseImage, Files: map[string]string{"/pause": path}, Entrypoint: []string{"/pause"}, User: "65535"})
}

// startDNS runs CoreDNS as a Deployment behind the usual Service, knowing only
// the cluster's names, and waits until it answers.
func (n *Node) startDNS(ctx context.Context) error {
	path, err := cluster.CoreDNS(ctx)
	if err != nil {
		return err
	}
	err = n.Import(ctx, Image{Name: dnsImage, Files: map[string]string{"/coredns": path}, Entrypoint: []string{"/coredns"}})
	if err != nil {
		return err
	}
	if err := n.Apply(ctx, dnsManifest); err != nil {
		return err
	}
	return n.Available(ctx, "kube-system", "coredns")
}

// Apply applies a manifest by the cluster's own kubectl.
func (n *Node) Apply(ctx context.Context, manifest string) error {
	cmd := exec.CommandContext(ctx, n.Cluster.Assets.Kubectl(), "--kubeconfig="+n.Cluster.Kubeconfig, "apply", "-f", "-")
	cmd.Env = append(os.Environ(), "HOME="+n.Dir)
	cmd.Stdin = strings.NewReader(manifest)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("apply manifest: %w: %s", err, out)
	}
	return nil
}

// Available waits until a Deployment has all its pods ready and no old ones.
func (n *Node) Available(ctx context.Context, namespace, name string) error {
	return wait.For(ctx, 200*time.Millisecond, func(ctx context.Context) error {
		d, err := n.Cluster.Client.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		s := d.Status
		if want := *d.Spec.Replicas; s.ObservedGeneration < d.Generation || s.UpdatedReplicas != want || s.AvailableReplicas != want || s.Replicas != want {
			return fmt.Errorf("deployment %s/%s has %d of %d pods available, %d up to date", namespace, name, s.AvailableReplicas, want, s.UpdatedReplicas)
		}
		return nil
	})
}
