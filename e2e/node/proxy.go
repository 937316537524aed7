package node

import (
	"context"

	"github.com/taojob/taojob/e2e/cluster"
)

// startProxy starts kube-proxy, which makes Services reachable from pods and
// from the API server, and so webhooks that run as pods. It changes no limit
// of the kernel's: those are the machine's.
func (n *Node) startProxy(_ context.Context) error {
	kubeconfig, err := n.Cluster.KubeconfigFor(cluster.KubeProxy, "system:kube-proxy")
	if err != nil {
		return err
	}
	_, err = n.start(cluster.KubeProxy, n.Cluster.Assets.Path(cluster.KubeProxy),
		"--kubeconfig="+kubeconfig, "--hostname-override="+Name, "--proxy-mode=iptables", "--masquerade-all",
		"--cluster-cidr="+podRange, "--conntrack-max-per-core=0",
		"--conntrack-tcp-timeout-established=0", "--conntrack-tcp-timeout-close-wait=0",
		"--iptables-min-sync-period=0s")
	return err
}
