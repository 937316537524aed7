package main

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/pager"

	"github.com/taojob/taojob/pkg/capacity"
)

// list fills in what may be listed of all namespaces.
// Of Secrets, and of what only has to be there, it asks for the metadata alone.
func (f *state) list(ctx context.Context, c clients) error {
	core := c.typed.CoreV1()
	names := func(resource string) metadata.Getter {
		return c.metadata.Resource(corev1.SchemeGroupVersion.WithResource(resource))
	}
	return errors.Join(
		each(ctx, f, "nodes", core.Nodes().List, func() { f.nodes = capacity.NewIndex() }, f.addNode),
		all(ctx, f, "services", core.Services("").List, &f.services),
		all(ctx, f, "resourcequotas", core.ResourceQuotas("").List, &f.quotas),
		all(ctx, f, "limitranges", core.LimitRanges("").List, &f.limitRanges),
		all(ctx, f, "serviceaccounts", core.ServiceAccounts("").List, &f.accounts),
		all(ctx, f, "persistentvolumeclaims", names("persistentvolumeclaims").List, &f.claims),
		all(ctx, f, "secrets", names("secrets").List, &f.secrets),
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
