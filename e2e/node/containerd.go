package node

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

const (
	containerd = "containerd"
	// The socket's folder is short: the path of a socket has 107 characters at most.
	containerdState  = "/run/containerd"
	containerdSocket = containerdState + "/containerd.sock"
	imageNamespace   = "k8s.io" // the kubelet's, in containerd
)

// containerdConfig is for version 1.6 on: Debian 12's. Only images that were
// imported exist, so that nothing is ever pulled. Without CAP_SYS_RESOURCE, as
// in many a container, runc may not lower a score, and ends when it tries.
const containerdConfig = `version = 2
root = %q
state = "` + containerdState + `/state"
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.aufs"]
[grpc]
  address = "` + containerdSocket + `"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "` + pauseImage + `"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "` + cniDir + `"
    conf_dir = %q
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
`

// startContainerd starts the container runtime and connects it to the network.
func (n *Node) startContainerd(ctx context.Context) error {
	cni := filepath.Join(n.Dir, "cni")
	files := map[string]string{
		filepath.Join(cni, "pods.conflist"):     cniConfig,
		filepath.Join(n.Dir, "containerd.toml"): fmt.Sprintf(containerdConfig, filepath.Join(n.Dir, "containerd"), cni),
	}
	for path, content := range files {
		if err := write(path, content); err != nil {
			return err
		}
	}
	p, err := n.start(containerd, containerd, "--config="+filepath.Join(n.Dir, "containerd.toml"))
	if err != nil {
		return err
	}
	return p.Await(ctx, func(ctx context.Context) error { return ctr(ctx, "version") })
}

// ctr asks containerd by its own client.
func ctr(ctx context.Context, args ...string) error {
	return run(ctx, "ctr", append([]string{"--address", containerdSocket, "--namespace", imageNamespace}, args...)...)
}

func write(path, content string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.WriteFile(path, []byte(content), 0o600)
}
