package node

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// The addresses of the sandbox. That of the node is reserved for documentation
// (RFC 5737); it belongs to a bridge that leads nowhere.
const (
	nodeIP       = "192.0.2.1"
	podRange     = "10.244.0.0/24"
	serviceRange = "10.0.0.0/24" // the cluster package's
	dnsIP        = "10.0.0.10"
	cniDir       = "/usr/lib/cni" // where Debian puts the plugins
)

// network gives the namespace the node's address, a route to Services, which
// kube-proxy turns aside to pods, and no way out.
func network(ctx context.Context) error {
	for _, line := range []string{
		"link set lo up",
		"link add node0 type bridge",
		"addr add " + nodeIP + "/32 dev node0",
		"link set node0 up",
		"route add " + serviceRange + " dev node0 src " + nodeIP,
	} {
		if err := run(ctx, "ip", strings.Fields(line)...); err != nil {
			return err
		}
	}
	for name, value := range map[string]string{
		"ipv4/ip_forward": "1",
		// Pods of one bridge reach each other through a Service, too.
		"bridge/bridge-nf-call-iptables": "1",
	} {
		if err := os.WriteFile("/proc/sys/net/"+name, []byte(value), 0o644); err != nil {
			return fmt.Errorf("prepare network: %w", err)
		}
	}
	return nil
}

// cniConfig connects pods to one bridge.
const cniConfig = `{
  "cniVersion": "0.4.0",
  "name": "pods",
  "plugins": [
    {
      "type": "bridge", "bridge": "cni0", "isGateway": true, "hairpinMode": true, "ipMasq": false,
      "ipam": {"type": "host-local", "ranges": [[{"subnet": "` + podRange + `"}]], "routes": [{"dst": "0.0.0.0/0"}]}
    },
    {"type": "portmap", "capabilities": {"portMappings": true}}
  ]
}
`
