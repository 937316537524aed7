package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/pager"

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

// ask gets from the cluster what the rules may know: the right to list is all it
// takes.
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
	return known, known.list(ctx, client)
}

// list fills in what may be listed of all namespaces.
func (f *state) list(ctx context.Context, client kubernetes.Interface) error {
	core := client.CoreV1()
	return errors.Join(
		each(ctx, f, "nodes", core.Nodes().List, func() { f.nodes = capacity.NewIndex() }, f.addNode),
		all(ctx, f, "services", core.Services("").List, &f.services),
		all(ctx, f, "resourcequotas", core.ResourceQuotas("").List, &f.quotas),
		all(ctx, f, "limitranges", core.LimitRanges("").List, &f.limitRanges),
	)
}

// lister lists objects of a kind.
type lister[L runtime.Object] func(context.Context, metav1.ListOptions) (L, error)

// all keeps all objects of a kind.
func all[L runtime.Object, T metav1.Object](ctx context.Context, f *state, kind string, list lister[L], to *kept[T]) error {
	return each(ctx, f, kind, list, func() { *to = kept[T]{} }, to.add)
}

// each lists the objects of a kind page by page, so that neither side has to
// hold them all at once, and hands each one over. There may be none: known is
// called when they may be listed. That they may not leaves a note.
func each[L runtime.Object, T any](ctx context.Context, f *state, kind string, list lister[L], known func(), add func(T)) error {
	pages := pager.New(func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		page, err := list(ctx, o)
		if err != nil {
			return nil, err
		}
		if o.Continue == "" {
			known()
		}
		return page, nil
	})
	err := pages.EachListItemWithAlloc(ctx, metav1.ListOptions{}, func(o runtime.Object) error {
		if object, ok := any(o).(T); ok {
			add(object)
		}
		return nil
	})
	if err != nil {
		return f.without(kind, err)
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
