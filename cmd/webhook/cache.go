package main

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/taojob/taojob/pkg/capacity"
	"github.com/taojob/taojob/pkg/job"
)

// watched is every kind that the server keeps in memory.
func watched() []client.Object {
	return []client.Object{
		&corev1.Node{}, &corev1.Service{}, &batchv1.Job{},
		&corev1.ResourceQuota{}, &corev1.LimitRange{}, &corev1.ServiceAccount{}, metadataOf(claimKind),
	}
}

// cacheOptions keep of each object what is used: memory must stay small on the
// largest of clusters.
func cacheOptions() cache.Options {
	shared := true // readers of ours change nothing they read
	return cache.Options{
		DefaultTransform: cache.TransformStripManagedFields(),
		ByObject: map[client.Object]cache.ByObject{
			&corev1.Node{}:           {Transform: stripNode, UnsafeDisableDeepCopy: &shared},
			&corev1.Service{}:        {Transform: stripService},
			&batchv1.Job{}:           {Label: labelled()},
			&corev1.ResourceQuota{}:  {Transform: stripMeta, UnsafeDisableDeepCopy: &shared},
			&corev1.LimitRange{}:     {Transform: stripMeta, UnsafeDisableDeepCopy: &shared},
			&corev1.ServiceAccount{}: {Transform: stripAccount, UnsafeDisableDeepCopy: &shared},
			metadataOf(claimKind):    {Transform: stripMeta, UnsafeDisableDeepCopy: &shared},
		},
	}
}

// claimKind is of what nothing but the metadata is asked for.
var claimKind = corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim")

// metadataOf stands for the metadata of a kind.
func metadataOf(kind schema.GroupVersionKind) *metav1.PartialObjectMetadata {
	o := &metav1.PartialObjectMetadata{}
	o.SetGroupVersionKind(kind)
	return o
}

// labelled selects the Jobs of ours.
func labelled() labels.Selector {
	requirement, err := labels.NewRequirement(job.Label, selection.Exists, nil)
	if err != nil { // the label is a constant
		panic(err)
	}
	return labels.NewSelector().Add(*requirement)
}

func stripNode(object any) (any, error) {
	if n, ok := object.(*corev1.Node); ok {
		return capacity.Strip(n), nil
	}
	return object, nil
}

// stripMeta keeps of the metadata what identifies an object and its version.
func stripMeta(object any) (any, error) {
	if o, ok := object.(metav1.Object); ok {
		o.SetLabels(nil)
		o.SetAnnotations(nil)
		o.SetManagedFields(nil)
		o.SetOwnerReferences(nil)
		o.SetFinalizers(nil)
	}
	return object, nil
}

// stripAccount keeps of an account which pull secrets it has.
func stripAccount(object any) (any, error) {
	if a, ok := object.(*corev1.ServiceAccount); ok {
		a.Secrets = nil
	}
	return stripMeta(object)
}

// stripService keeps what tells whose a Service is and whom it selects.
func stripService(object any) (any, error) {
	if s, ok := object.(*corev1.Service); ok {
		s.ManagedFields, s.Annotations = nil, nil
		s.Status = corev1.ServiceStatus{}
	}
	return object, nil
}
