package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/taojob/taojob/pkg/audit"
	"github.com/taojob/taojob/pkg/capacity"
	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/rendezvous"
	"github.com/taojob/taojob/pkg/validate"
)

// facts are what is known of a cluster; what is nil is not known.
type facts struct {
	namespace string // the context's
	version   *validate.Version
	nodes     *capacity.Index
	services  map[string]*corev1.Service // by namespace/name
	planned   map[string]*corev1.Service // those of the manifests themselves
	notes     []string                   // why some of it is not known
}

func (f *facts) addNode(n *corev1.Node) {
	if f.nodes == nil {
		f.nodes = capacity.NewIndex()
	}
	f.nodes.Upsert(n)
}

func (f *facts) addService(s *corev1.Service) {
	if f.services == nil {
		f.services = map[string]*corev1.Service{}
	}
	f.services[s.Namespace+"/"+s.Name] = s
}

// service says what stands under the name of the headless Service.
// What the manifests bring along counts as there.
func (f *facts) service(j *batchv1.Job, t *job.Training) *validate.Service {
	key := t.Namespace + "/" + t.Service
	found := cmp.Or(f.services[key], f.planned[key])
	if found == nil && f.services == nil {
		return nil
	}
	return rendezvous.Inspect(found, j)
}

// plan takes in the Services among the manifests, in namespace if they name none.
func (f *facts) plan(objects []audit.Object, namespace string) {
	of := &facts{}
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
func inventory(files []string, stdin io.Reader) (*facts, error) {
	objects, problems := audit.ReadInventory(files, stdin)
	var errs []error
	for _, p := range problems {
		errs = append(errs, fmt.Errorf("read inventory: %s", p))
	}
	known := &facts{}
	for _, o := range objects {
		if err := known.add(&o, metav1.NamespaceDefault); err != nil {
			errs = append(errs, fmt.Errorf("read inventory: %s:%d: %w", o.Source.File, o.Source.Line, err))
		}
	}
	return known, errors.Join(errs...)
}

// add takes in a Node, or a Service; one that names no namespace is in the given one.
func (f *facts) add(o *audit.Object, namespace string) error {
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
