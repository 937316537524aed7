package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/discovery"
	toolscache "k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/taojob/taojob/pkg/capacity"
	"github.com/taojob/taojob/pkg/validate"
)

// versionEvery is how often the API server's version is asked for: it changes
// under a running webhook when a cluster is upgraded.
const versionEvery = 5 * time.Minute

// watchFacts keeps what is seen up to date as long as the manager runs. The version
// is asked for at once: without it nothing could be said of several nodes.
func watchFacts(ctx context.Context, mgr ctrl.Manager, seen *observed) error {
	synced, err := watch(ctx, mgr.GetCache(), seen.nodes)
	if err != nil {
		return err
	}
	seen.synced = synced
	server, err := discovery.NewDiscoveryClientForConfig(mgr.GetConfig())
	if err != nil {
		return err
	}
	if err := readVersion(server, seen); err != nil {
		return err
	}
	return mgr.Add(everywhere(func(ctx context.Context) error {
		return keepVersion(ctx, mgr, server, seen)
	}))
}

// watch starts the informers of all that is kept in memory and feeds the nodes
// into an index. What it returns tells whether everything has come.
func watch(ctx context.Context, informers cache.Informers, index *capacity.Index) (synced func() bool, err error) {
	var all []func() bool
	for _, object := range watched() {
		informer, err := informers.GetInformer(ctx, object, cache.BlockUntilSynced(false))
		if err != nil {
			return nil, err
		}
		all = append(all, informer.HasSynced)
		if _, ok := object.(*corev1.Node); !ok {
			continue
		}
		fed, err := informer.AddEventHandler(indexing(index))
		if err != nil {
			return nil, err
		}
		all = append(all, fed.HasSynced) // the informer may be ahead of the index
	}
	return func() bool {
		return !slices.ContainsFunc(all, func(synced func() bool) bool { return !synced() })
	}, nil
}

// everywhere is a runnable that needs no leader.
type everywhere manager.RunnableFunc

// Start runs it.
func (e everywhere) Start(ctx context.Context) error { return e(ctx) }

// NeedLeaderElection says no.
func (everywhere) NeedLeaderElection() bool { return false }

func keepVersion(ctx context.Context, mgr ctrl.Manager, server discovery.ServerVersionInterface, seen *observed) error {
	tick := time.NewTicker(versionEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if err := readVersion(server, seen); err != nil {
				mgr.GetLogger().Error(err, "the version that was known stays in use")
			}
		}
	}
}

func readVersion(server discovery.ServerVersionInterface, seen *observed) error {
	info, err := server.ServerVersion()
	if err != nil {
		return fmt.Errorf("ask for the version of Kubernetes: %w", err)
	}
	version, err := validate.ParseVersion(info.GitVersion)
	if err != nil {
		return fmt.Errorf("read the version of Kubernetes: %w", err)
	}
	seen.version.Store(&version)
	return nil
}

// indexing feeds the index from a Node informer.
func indexing(index *capacity.Index) toolscache.ResourceEventHandler {
	upsert := func(object any) {
		if n, ok := object.(*corev1.Node); ok {
			index.Upsert(n)
		}
	}
	return toolscache.ResourceEventHandlerFuncs{
		AddFunc:    upsert,
		UpdateFunc: func(_, updated any) { upsert(updated) },
		DeleteFunc: func(object any) {
			if gone, ok := object.(toolscache.DeletedFinalStateUnknown); ok {
				object = gone.Obj
			}
			if n, ok := object.(*corev1.Node); ok {
				index.Delete(n.Name)
			}
		},
	}
}
