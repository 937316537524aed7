package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/taojob/taojob/pkg/audit"
	"github.com/taojob/taojob/pkg/capacity"
	"github.com/taojob/taojob/pkg/validate"
)

// state is what is known of a cluster; what is nil is not known.
type state struct {
	namespace string // the context's
	version   *validate.Version
	nodes     *capacity.Index
	services  map[string]*corev1.Service // by namespace/name
	planned   map[string]*corev1.Service // those of the manifests themselves
	notes     []string                   // why some of it is not known
}

func (f *state) addNode(n *corev1.Node) {
	if f.nodes == nil {
		f.nodes = capacity.NewIndex()
	}
	f.nodes.Upsert(n)
}

func (f *state) addService(s *corev1.Service) {
	if f.services == nil {
		f.services = map[string]*corev1.Service{}
	}
	f.services[s.Namespace+"/"+s.Name] = s
}

// service returns the Service of that name. What the manifests bring along
// counts as there.
func (f *state) service(namespace, name string) (*corev1.Service, bool) {
	key := namespace + "/" + name
	found := cmp.Or(f.services[key], f.planned[key])
	return found, found != nil || f.services != nil
}

// plan takes in the Services among the manifests, in namespace if they name none.
func (f *state) plan(objects []audit.Object, namespace string) {
	of := &state{}
	for _, o := range objects {
		if o.APIVersion == "v1" && o.Kind == "Service" {
			_ = of.add(&o, namespace) // one that does not decode is not ours to judge
		}
	}
	f.planned = of.services
}

// inventory reads the Nodes and Services in files. Whatever else is in them is
// passed over; what cannot be read is an error, for a part of the nodes would
// be worse than none.
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

// add takes in a Node, or a Service; one that names no namespace is in the given one.
func (f *state) add(o *audit.Object, namespace string) error {
	switch o.APIVersion + " " + o.Kind {
	case "v1 Node":
		n := &corev1.Node{}
		if json.Unmarshal(o.JSON, n) != nil {
			return errors.New("does not decode as a Node")
		}
		f.addNode(n)
	case "v1 Service":
		s := &corev1.Service{}
		if json.Unmarshal(o.JSON, s) != nil {
			return errors.New("does not decode as a Service")
		}
		if s.Namespace == "" {
			s.Namespace = namespace
		}
		f.addService(s)
	}
	return nil
}
