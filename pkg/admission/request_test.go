package admission_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrladmission "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/taojob/taojob/pkg/admission"
	"github.com/taojob/taojob/pkg/capacity"
	"github.com/taojob/taojob/pkg/facts"
	"github.com/taojob/taojob/pkg/mutate"
	"github.com/taojob/taojob/pkg/validate"
	"github.com/taojob/taojob/policies"
)

// request is what the API server sends, its objects as JSON; old is nil for none.
func request(tb testing.TB, operation admissionv1.Operation, object, old client.Object) ctrladmission.Request {
	tb.Helper()
	req := ctrladmission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
		UID: "request", Operation: operation, Namespace: object.GetNamespace(), Name: object.GetName(),
		Object: raw(tb, object),
	}}
	if old != nil {
		req.OldObject = raw(tb, old)
	}
	return req
}

func raw(tb testing.TB, object client.Object) runtime.RawExtension {
	tb.Helper()
	text, err := json.Marshal(object)
	if err != nil {
		tb.Fatal(err)
	}
	return runtime.RawExtension{Raw: text}
}

func scheme(tb testing.TB) *runtime.Scheme {
	tb.Helper()
	s := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(s); err != nil {
		tb.Fatal(err)
	}
	return s
}

func mutator(tb testing.TB) *ctrladmission.Webhook {
	tb.Helper()
	return (&admission.Mutator{Options: func() mutate.Options { return mutate.Options{} }}).Webhook()
}

// builtIn compiles the built-in rules once for all tests: it takes a while.
var builtIn = sync.OnceValues(func() (*validate.Engine, error) {
	return validate.New(context.Background(), policies.FS)
})

// validator judges by the built-in rules on a cluster of 1.31 that holds objects.
func validator(tb testing.TB, objects ...client.Object) *admission.Validator {
	tb.Helper()
	engine, err := builtIn()
	if err != nil {
		tb.Fatal(err)
	}
	cluster := &facts.Cluster{Version: &validate.Version{Major: 1, Minor: 31}, Nodes: capacity.NewIndex()}
	services := map[string]*corev1.Service{}
	for _, o := range objects {
		if n, ok := o.(*corev1.Node); ok {
			cluster.Nodes.Upsert(n)
			continue
		}
		services[o.GetNamespace()+"/"+o.GetName()] = o.(*corev1.Service)
	}
	cluster.Service = func(namespace, name string) (*corev1.Service, bool) { return services[namespace+"/"+name], true }
	cluster.Quotas = func(string) ([]*corev1.ResourceQuota, bool) { return nil, true }
	return &admission.Validator{Policy: func() *validate.Policy { return &validate.Policy{Engine: engine} }, Cluster: func() *facts.Cluster { return cluster }}
}

func gpuNodes(count int) []client.Object {
	var nodes []client.Object
	for i := range count {
		nodes = append(nodes, &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("gpu-%d", i)},
			Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
				"nvidia.com/gpu": resource.MustParse("8"), "cpu": resource.MustParse("64"),
				"memory": resource.MustParse("512Gi"), "pods": resource.MustParse("110"),
			}},
		})
	}
	return nodes
}
