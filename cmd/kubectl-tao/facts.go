package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/taojob/taojob/pkg/audit"
	"github.com/taojob/taojob/pkg/capacity"
	"github.com/taojob/taojob/pkg/facts"
	"github.com/taojob/taojob/pkg/validate"
)

// state is what is known of a cluster; what is nil is not known.
type state struct {
	namespace   string // the context's
	version     *validate.Version
	nodes       *capacity.Index
	services    kept[*corev1.Service]
	quotas      kept[*corev1.ResourceQuota]
	limitRanges kept[*corev1.LimitRange]
	claims      kept[*metav1.PartialObjectMetadata]
	secrets     kept[*metav1.PartialObjectMetadata] // nobody looks into them
	accounts    kept[*corev1.ServiceAccount]
	planned     *state   // what the manifests bring along
	notes       []string // why some of it is not known
}

// facts is what rules may know of it. It sees what is planned later on.
func (f *state) facts() facts.Cluster {
	return facts.Cluster{
		Version: f.version, Nodes: f.nodes,
		Quotas: f.quotas.in, LimitRanges: f.limitRanges.in,
		Service: finder(f, func(f *state) kept[*corev1.Service] { return f.services }),
		Account: finder(f, func(f *state) kept[*corev1.ServiceAccount] { return f.accounts }),
		Claim:   exists(f, func(f *state) kept[*metav1.PartialObjectMetadata] { return f.claims }),
		Secret:  exists(f, func(f *state) kept[*metav1.PartialObjectMetadata] { return f.secrets }),
	}
}

// finder finds an object of those that of selects. What the manifests bring
// along counts as there.
func finder[T any, P interface {
	*T
	metav1.Object
}](f *state, of func(*state) kept[P]) func(namespace, name string) (P, bool) {
	return func(namespace, name string) (P, bool) {
		found, known := of(f).named(namespace, name)
		if found == nil && f.planned != nil {
			found, _ = of(f.planned).named(namespace, name)
		}
		return found, known || found != nil
	}
}

// exists tells whether there is one.
func exists(f *state, of func(*state) kept[*metav1.PartialObjectMetadata]) func(namespace, name string) (found, known bool) {
	find := finder(f, of)
	return func(namespace, name string) (bool, bool) {
		found, known := find(namespace, name)
		return found != nil, known
	}
}

func (f *state) addNode(n *corev1.Node) {
	if f.nodes == nil {
		f.nodes = capacity.NewIndex()
	}
	f.nodes.Upsert(n)
}

// plan takes in what the manifests bring along, in namespace if they name none.
func (f *state) plan(objects []audit.Object, namespace string) {
	f.planned = &state{}
	for _, o := range objects {
		_ = f.planned.add(&o, namespace) // one that does not decode is not ours to judge
	}
}

// inventory reads in files the kinds that facts are made of. Whatever else is
// in them is passed over; what cannot be read is an error, for a part of the
// nodes would be worse than none.
func inventory(files []string, stdin io.Reader) (*state, error) {
	objects, problems := audit.ReadInventory(files, stdin)
	var errs []error
	for _, p := range problems {
		errs = append(errs, fmt.Errorf("read inventory: %s", p))
	}
	known := &state{}
	for _, o := range objects {
		if err := known.add(&o, metav1.NamespaceDefault); err != nil {
			errs = append(errs, fmt.Errorf("read inventory: %s:%d: %w", o.Source.File, o.Source.Line, err))
		}
	}
	return known, errors.Join(errs...)
}

// adders take in an object, by apiVersion and kind.
var adders = map[string]func(f *state, o *audit.Object, namespace string) error{
	"v1 Node": func(f *state, o *audit.Object, _ string) error {
		n := &corev1.Node{}
		if json.Unmarshal(o.JSON, n) != nil {
			return errors.New("does not decode as a Node")
		}
		f.addNode(n)
		return nil
	},
	"v1 Service":               into(func(f *state) *kept[*corev1.Service] { return &f.services }),
	"v1 ResourceQuota":         into(func(f *state) *kept[*corev1.ResourceQuota] { return &f.quotas }),
	"v1 LimitRange":            into(func(f *state) *kept[*corev1.LimitRange] { return &f.limitRanges }),
	"v1 ServiceAccount":        into(func(f *state) *kept[*corev1.ServiceAccount] { return &f.accounts }),
	"v1 Secret":                into(func(f *state) *kept[*metav1.PartialObjectMetadata] { return &f.secrets }),
	"v1 PersistentVolumeClaim": into(func(f *state) *kept[*metav1.PartialObjectMetadata] { return &f.claims }),
}

// add takes in an object that facts are made of; one that names no namespace
// is in the given one.
func (f *state) add(o *audit.Object, namespace string) error {
	if add := adders[o.APIVersion+" "+o.Kind]; add != nil {
		return add(f, o, namespace)
	}
	return nil
}

// into decodes an object of a namespace and takes it in where of says.
func into[T any, P interface {
	*T
	metav1.Object
}](of func(*state) *kept[P]) func(*state, *audit.Object, string) error {
	return func(f *state, o *audit.Object, namespace string) error {
		object := P(new(T))
		if json.Unmarshal(o.JSON, object) != nil {
			return errors.New("does not decode as a " + o.Kind)
		}
		if object.GetNamespace() == "" {
			object.SetNamespace(namespace)
		}
		of(f).add(object)
		return nil
	}
}
