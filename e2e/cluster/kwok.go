package cluster

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// kwokStages is the behaviour that kwok, which has none of its own, plays.
//
//go:embed kwok.yaml
var kwokStages []byte

// StartKwok lets kwok play the kubelet of every node: it keeps their leases
// fresh, pods become Running without running, and those of a Job succeed at
// once. Configuration files with other stages replace that. Stop ends it.
func (c *Cluster) StartKwok(ctx context.Context, configs ...string) error {
	binary, err := Kwok(ctx)
	if err != nil {
		return err
	}
	if len(configs) == 0 {
		configs = []string{filepath.Join(c.Dir, "kwok.yaml")}
		if err := os.WriteFile(configs[0], kwokStages, 0o600); err != nil {
			return fmt.Errorf("write stages: %w", err)
		}
	}
	began := time.Now()
	p, err := c.run(kwok, binary, c.kwokFlags(configs))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := p.Await(ctx, func(ctx context.Context) error { return c.healthy(ctx, kwok) }); err != nil {
		return err
	}
	c.log("kwok is ready after %s", time.Since(began).Round(time.Millisecond))
	return nil
}

func (c *Cluster) kwokFlags(configs []string) []string {
	flags := []string{
		"--kubeconfig=" + c.Kubeconfig,
		"--manage-all-nodes=true",
		"--node-lease-duration-seconds=40", // as a kubelet
		"--node-ip=127.0.0.1",
		"--server-address=" + address(c.ports[kwok]),
	}
	for _, path := range configs {
		flags = append(flags, "--config="+path)
	}
	return flags
}
