package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/taojob/taojob/e2e/cluster"
)

// kubeletConfig differs from the defaults where one small machine asks for it:
// cgroup v1 still works, nothing is evicted and no image removed for a disk
// that is nearly full, no cgroup holds the whole of the pods, and pods see a
// changed Secret sooner than after a minute.
const kubeletConfig = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: false}, webhook: {enabled: false}, x509: {clientCAFile: %[1]q}}
authorization: {mode: AlwaysAllow}
containerRuntimeEndpoint: unix://` + containerdSocket + `
cgroupDriver: cgroupfs
failCgroupV1: false
failSwapOn: false
syncFrequency: 10s
enforceNodeAllocatable: []
evictionHard: {memory.available: 1Mi, nodefs.available: 1%%, imagefs.available: 1%%, nodefs.inodesFree: 1%%}
imageGCHighThresholdPercent: 100
clusterDomain: cluster.local
clusterDNS: [` + dnsIP + `]
resolvConf: ""
volumePluginDir: %[2]q
`

// startKubelet starts the kubelet and waits until its node is ready.
func (n *Node) startKubelet(ctx context.Context) error {
	config := filepath.Join(n.Dir, "kubelet.yaml")
	err := write(config, fmt.Sprintf(kubeletConfig, n.Cluster.AuthorityFile(), filepath.Join(n.Dir, "plugins")))
	if err != nil {
		return err
	}
	kubeconfig, err := n.Cluster.KubeconfigFor(cluster.Kubelet, "system:node:"+Name, "system:nodes")
	if err != nil {
		return err
	}
	p, err := n.start(cluster.Kubelet, n.Cluster.Assets.Path(cluster.Kubelet),
		"--config="+config, "--kubeconfig="+kubeconfig, "--hostname-override="+Name, "--node-ip="+nodeIP,
		"--root-dir="+filepath.Join(n.Dir, "kubelet"), "--cert-dir="+filepath.Join(n.Dir, "kubelet-pki"))
	if err != nil {
		return err
	}
	return p.Await(ctx, n.ready)
}

// ready tells whether pods can be placed on the node.
func (n *Node) ready(ctx context.Context) error {
	node, err := n.Cluster.Client.CoreV1().Nodes().Get(ctx, Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue && len(node.Spec.Taints) == 0 {
			return nil
		}
	}
	return errors.New("the node is not ready")
}

// advertise adds GPUs to the node's status, where a device plugin's would be.
// They are the one thing of the node that is not real.
func (n *Node) advertise(ctx context.Context, gpus int) error {
	list := map[string]string{string(cluster.GPU): strconv.Itoa(gpus)}
	patch, err := json.Marshal(map[string]any{"status": map[string]any{"capacity": list, "allocatable": list}})
	if err != nil {
		return err
	}
	_, err = n.Cluster.Client.CoreV1().Nodes().Patch(ctx, Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	if err != nil {
		return fmt.Errorf("advertise GPUs: %w", err)
	}
	return nil
}
