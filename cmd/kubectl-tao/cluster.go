package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/taojob/taojob/pkg/capacity"
	"github.com/taojob/taojob/pkg/validate"
)

// access says how to reach a cluster; the zero value does as kubectl does.
type access struct{ kubeconfig, context string }

// ask gets from the cluster what the rules may know: read access to nodes and
// services is all it takes.
func (a access) ask(ctx context.Context) (*facts, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = a.kubeconfig
	overrides := &clientcmd.ConfigOverrides{CurrentContext: a.context}
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
	rest, err := loader.ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("find the cluster: %w", err)
	}
	rest.UserAgent = "kubectl-tao/" + version
	client, err := kubernetes.NewForConfig(rest)
	if err != nil {
		return nil, fmt.Errorf("find the cluster: %w", err)
	}
	known, err := state(ctx, client)
	if err != nil {
		return nil, err
	}
	known.namespace, _, err = loader.Namespace()
	return known, err
}

// state reads the facts through client.
func state(ctx context.Context, client kubernetes.Interface) (*facts, error) {
	server, err := client.Discovery().ServerVersion()
	if err != nil {
		return nil, fmt.Errorf("ask the cluster for its version: %w", err)
	}
	parsed, err := validate.ParseVersion(server.Major + "." + server.Minor)
	if err != nil {
		return nil, err
	}
	known := &facts{version: &parsed, nodes: capacity.NewIndex(), services: map[string]*corev1.Service{}}
	return known, known.list(ctx, client)
}

// list fills in nodes and services. Resource version 0 lets the API server
// answer from its cache.
func (f *facts) list(ctx context.Context, client kubernetes.Interface) error {
	cached := metav1.ListOptions{ResourceVersion: "0"}
	nodes, err := client.CoreV1().Nodes().List(ctx, cached)
	if err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	for i := range nodes.Items {
		f.addNode(&nodes.Items[i])
	}
	services, err := client.CoreV1().Services(metav1.NamespaceAll).List(ctx, cached)
	if err != nil {
		return fmt.Errorf("list services: %w", err)
	}
	for i := range services.Items {
		f.addService(&services.Items[i])
	}
	return nil
}
