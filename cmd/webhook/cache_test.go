package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/taojob/taojob/pkg/capacity"
	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/job/jobtest"
)

func TestOnlyLabelledJobsAreKept(t *testing.T) {
	for object, kept := range cacheOptions().ByObject {
		if _, ok := object.(*batchv1.Job); !ok {
			continue
		}
		if !kept.Label.Matches(labels.Set{job.Label: ""}) || kept.Label.Matches(labels.Set{"app": "x"}) {
			t.Errorf("the selector is %s", kept.Label)
		}
		return
	}
	t.Error("Jobs are not selected")
}

func TestWhatIsKeptOfObjects(t *testing.T) {
	meta := metav1.ObjectMeta{
		Name: "a", Namespace: "b", UID: "1", Labels: map[string]string{"c": "d"},
		Annotations:   map[string]string{"long": "text"},
		ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubectl"}},
	}
	kept := metav1.ObjectMeta{Name: "a", Namespace: "b", UID: "1", Labels: map[string]string{"c": "d"}}
	scopes := []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeBestEffort}
	pulls := []corev1.LocalObjectReference{{Name: "ngc"}}
	spec := corev1.ServiceSpec{ClusterIP: "None", Selector: map[string]string{"job-name": "a"}}
	for name, tc := range map[string]struct {
		transform toolscache.TransformFunc
		in, want  any
	}{
		"a Service without what nobody asks for": {stripService,
			&corev1.Service{ObjectMeta: meta, Spec: spec, Status: corev1.ServiceStatus{Conditions: []metav1.Condition{{Type: "x"}}}},
			&corev1.Service{ObjectMeta: kept, Spec: spec}},
		"a quota without labels and annotations": {stripMeta,
			&corev1.ResourceQuota{ObjectMeta: meta, Spec: corev1.ResourceQuotaSpec{Scopes: scopes}},
			&corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "b", UID: "1"}, Spec: corev1.ResourceQuotaSpec{Scopes: scopes}}},
		"an account with its pull secrets": {stripAccount,
			&corev1.ServiceAccount{ObjectMeta: meta, Secrets: []corev1.ObjectReference{{Name: "token"}}, ImagePullSecrets: pulls},
			&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "b", UID: "1"}, ImagePullSecrets: pulls}},
		"a Node without images and addresses": {stripNode,
			&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Status: corev1.NodeStatus{Images: []corev1.ContainerImage{{}}}},
			capacity.Strip(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}})},
		"the last that was known of a Service, as it is": {stripService, toolscache.DeletedFinalStateUnknown{Key: "a"}, toolscache.DeletedFinalStateUnknown{Key: "a"}},
		"the last that was known of a quota, as it is":   {stripMeta, toolscache.DeletedFinalStateUnknown{Key: "a"}, toolscache.DeletedFinalStateUnknown{Key: "a"}},
		"the last that was known of a Node, as it is":    {stripNode, toolscache.DeletedFinalStateUnknown{Key: "a"}, toolscache.DeletedFinalStateUnknown{Key: "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tc.transform(tc.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTheIndexFollowsTheNodes(t *testing.T) {
	index := capacity.NewIndex()
	follow := indexing(index)
	one, two := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "one"}}, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "two"}}
	var object client.Object = jobtest.New("x").Obj()
	for _, step := range []struct {
		does  string
		do    func()
		nodes int
	}{
		{"they come", func() { follow.OnAdd(one, true); follow.OnAdd(two, false) }, 2},
		{"one changes", func() { follow.OnUpdate(one, one) }, 2},
		{"one goes", func() { follow.OnDelete(one) }, 1},
		{"one went while nobody looked", func() { follow.OnDelete(toolscache.DeletedFinalStateUnknown{Key: "two", Obj: two}) }, 0},
		{"another kind comes by", func() { follow.OnAdd(object, false); follow.OnDelete(object) }, 0},
	} {
		step.do()
		if got := index.Fit(&corev1.PodTemplateSpec{}, 1).Nodes; got != step.nodes {
			t.Errorf("%s: %d nodes, want %d", step.does, got, step.nodes)
		}
	}
}
