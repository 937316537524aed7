package cluster

import (
	"context"
	"slices"
	"time"
)

// StartKwok lets kwok play the kubelet of every node: nodes send heartbeats,
// pods become Running without running, and those of a Job succeed at once.
// Stages from configuration files replace that default behaviour. Stop ends it.
func (c *Cluster) StartKwok(ctx context.Context, configs ...string) error {
	binary, err := Kwok(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	args := []string{
		"--kubeconfig=" + c.Kubeconfig,
		"--manage-all-nodes=true",
		"--node-ip=127.0.0.1",
		"--server-address=" + address(c.ports[kwok]),
	}
	for _, path := range configs {
		args = append(args, "--config="+path)
	}
	began := time.Now()
	p, err := startProcess(c.Dir, kwok, binary, slices.Concat(args, c.opts.Args[kwok]), c.opts.Detach)
	if err != nil {
		return err
	}
	c.running = append(c.running, p)
	if err := p.await(ctx, func(ctx context.Context) error { return c.healthy(ctx, kwok) }); err != nil {
		return err
	}
	c.log("kwok is ready after %s", time.Since(began).Round(time.Millisecond))
	return nil
}
