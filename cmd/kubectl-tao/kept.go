package main

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// kept are the objects of a kind by namespace and name; nil when they are not known.
type kept[T metav1.Object] map[string]map[string]T

// add takes in an object.
func (k *kept[T]) add(object T) {
	if *k == nil {
		*k = kept[T]{}
	}
	in := (*k)[object.GetNamespace()]
	if in == nil {
		in = map[string]T{}
		(*k)[object.GetNamespace()] = in
	}
	in[object.GetName()] = object
}

// in returns those of a namespace; known is false if nobody can tell.
func (k kept[T]) in(namespace string) (found []T, known bool) {
	return slices.Collect(maps.Values(k[namespace])), k != nil
}

// named returns that of a name, the zero value for none.
func (k kept[T]) named(namespace, name string) (found T, known bool) {
	return k[namespace][name], k != nil
}
