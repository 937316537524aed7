package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/taojob/taojob/pkg/validate"
)

// patience is for one answer of a cluster; thousands of nodes take seconds.
const patience = time.Minute

// access says how to reach a cluster; the zero value does as kubectl does.
type access struct{ kubeconfig, context string }

// config finds the cluster, and names the namespace of the context.
func (a access) config() (config *rest.Config, namespace string, err error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = a.kubeconfig
	overrides := &clientcmd.ConfigOverrides{CurrentContext: a.context}
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
	if config, err = loader.ClientConfig(); err != nil {
		return nil, "", noCluster(err)
	}
	config.UserAgent = "kubectl-tao/" + currentVersion()
	config.Timeout = patience
	namespace, _, err = loader.Namespace()
	return config, namespace, err
}

// client connects to the cluster, and names the namespace of the context.
func (a access) client() (client kubernetes.Interface, namespace string, err error) {
	config, namespace, err := a.config()
	if err != nil {
		return nil, "", err
	}
	if client, err = kubernetes.NewForConfig(config); err != nil {
		return nil, "", fmt.Errorf("find the cluster: %w", err)
	}
	return client, namespace, nil
}

// clients are those by which facts are asked for.
type clients struct {
	typed    kubernetes.Interface
	metadata metadata.Interface
}

// ask gets from the cluster what the rules may know: the right to list is all it
// takes.
func (a access) ask(ctx context.Context) (*state, error) {
	config, namespace, err := a.config()
	if err != nil {
		return nil, err
	}
	c := clients{}
	if c.typed, err = kubernetes.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("find the cluster: %w", err)
	}
	if c.metadata, err = metadata.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("find the cluster: %w", err)
	}
	known, err := stateOf(ctx, c)
	if err != nil {
		return nil, err
	}
	known.namespace = namespace
	return known, nil
}

// stateOf reads it.
func stateOf(ctx context.Context, c clients) (*state, error) {
	server, err := c.typed.Discovery().ServerVersion()
	if err != nil {
		return nil, fmt.Errorf("ask the cluster for its version: %w", err)
	}
	parsed, err := validate.ParseVersion(server.Major + "." + server.Minor)
	if err != nil {
		return nil, err
	}
	known := &state{version: &parsed}
	return known, known.list(ctx, c)
}
