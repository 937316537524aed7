package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/taojob/taojob/pkg/capacity"
	"github.com/taojob/taojob/pkg/validate"
)

// patience is for one answer of a cluster; thousands of nodes take seconds.
const patience = time.Minute

// access says how to reach a cluster; the zero value does as kubectl does.
type access struct{ kubeconfig, context string }

// client connects to the cluster, and names the namespace of the context.
func (a access) client() (client kubernetes.Interface, namespace string, err error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = a.kubeconfig
	overrides := &clientcmd.ConfigOverrides{CurrentContext: a.context}
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
	rest, err := loader.ClientConfig()
	if err != nil {
		return nil, "", fmt.Errorf("find the cluster: %w", err)
	}
	rest.UserAgent = "kubectl-tao/" + currentVersion()
	rest.Timeout = patience
	if client, err = kubernetes.NewForConfig(rest); err != nil {
		return nil, "", fmt.Errorf("find the cluster: %w", err)
	}
	namespace, _, err = loader.Namespace()
	return client, namespace, err
}

// ask gets from the cluster what the rules may know: read access to nodes and
// services is all it takes.
func (a access) ask(ctx context.Context) (*state, error) {
	client, namespace, err := a.client()
	if err != nil {
		return nil, err
	}
	known, err := stateOf(ctx, client)
	if err != nil {
		return nil, err
	}
	known.namespace = namespace
	return known, nil
}

// stateOf reads it through client.
func stateOf(ctx context.Context, client kubernetes.Interface) (*state, error) {
	server, err := client.Discovery().ServerVersion()
	if err != nil {
		return nil, fmt.Errorf("ask the cluster for its version: %w", err)
	}
	parsed, err := validate.ParseVersion(server.Major + "." + server.Minor)
	if err != nil {
		return nil, err
	}
	known := &state{version: &parsed}
	return known, errors.Join(known.listNodes(ctx, client), known.listServices(ctx, client))
}

// cached lets the API server answer from its cache.
var cached = metav1.ListOptions{ResourceVersion: "0"}

// listNodes fills in the nodes, unless that is forbidden.
func (f *state) listNodes(ctx context.Context, client kubernetes.Interface) error {
	nodes, err := client.CoreV1().Nodes().List(ctx, cached)
	if err != nil {
		return f.without("nodes", err)
	}
	f.nodes = capacity.NewIndex()
	for i := range nodes.Items {
		f.addNode(&nodes.Items[i])
	}
	return nil
}

// listServices fills in the services, unless that is forbidden.
func (f *state) listServices(ctx context.Context, client kubernetes.Interface) error {
	services, err := client.CoreV1().Services(metav1.NamespaceAll).List(ctx, cached)
	if err != nil {
		return f.without("services", err)
	}
	f.services = map[string]*corev1.Service{}
	for i := range services.Items {
		f.addService(&services.Items[i])
	}
	return nil
}

// without goes on without what the user may not see: the rules that need it are
// reported as not judged.
func (f *state) without(what string, err error) error {
	if !apierrors.IsForbidden(err) {
		return fmt.Errorf("list %s: %w", what, err)
	}
	f.notes = append(f.notes, "you may not list "+what+" of all the cluster, so they are not known")
	return nil
}
