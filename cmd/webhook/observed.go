package main

import (
	"context"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/taojob/taojob/pkg/capacity"
	"github.com/taojob/taojob/pkg/facts"
	"github.com/taojob/taojob/pkg/validate"
)

// observed is what the server sees of the cluster.
type observed struct {
	nodes   *capacity.Index // fed by an informer
	objects client.Reader   // reads from the cache
	version atomic.Pointer[validate.Version]
	// synced tells whether nodes and objects are complete. Before that they are
	// not known: a node that is still to come must not be missed.
	synced func() bool
}

// cluster returns what is known at this moment.
func (o *observed) cluster() *facts.Cluster {
	c := &facts.Cluster{Version: o.version.Load()}
	if o.synced() {
		c.Nodes, c.Service = o.nodes, o.service
		c.Quotas, c.LimitRanges = o.quotas, o.limitRanges
		c.Claim, c.Account = o.claim, o.account
	}
	return c
}

func (o *observed) service(namespace, name string) (*corev1.Service, bool) {
	s := &corev1.Service{}
	found, known := o.get(namespace, name, s)
	if !found {
		return nil, known
	}
	return s, true
}

func (o *observed) account(namespace, name string) (*corev1.ServiceAccount, bool) {
	a := &corev1.ServiceAccount{}
	found, known := o.get(namespace, name, a)
	if !found {
		return nil, known
	}
	return a, true
}

func (o *observed) claim(namespace, name string) (found, known bool) {
	return o.get(namespace, name, metadataOf(claimKind))
}

// get reads an object from the cache, which waits for nothing.
func (o *observed) get(namespace, name string, into client.Object) (found, known bool) {
	err := o.objects.Get(context.Background(), client.ObjectKey{Namespace: namespace, Name: name}, into)
	return err == nil, client.IgnoreNotFound(err) == nil
}

func (o *observed) quotas(namespace string) ([]*corev1.ResourceQuota, bool) {
	found := &corev1.ResourceQuotaList{}
	known := o.list(namespace, found)
	return pointers(found.Items), known
}

func (o *observed) limitRanges(namespace string) ([]*corev1.LimitRange, bool) {
	found := &corev1.LimitRangeList{}
	known := o.list(namespace, found)
	return pointers(found.Items), known
}

// list reads the objects of a namespace from the cache; known is false if it cannot.
func (o *observed) list(namespace string, found client.ObjectList) (known bool) {
	return o.objects.List(context.Background(), found, client.InNamespace(namespace)) == nil
}

func pointers[T any](items []T) []*T {
	all := make([]*T, len(items))
	for i := range items {
		all[i] = &items[i]
	}
	return all
}
