package rendezvous_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/job/jobtest"
	"github.com/taojob/taojob/pkg/rendezvous"
)

// writes records what a reconciler asks the API server to do.
type writes struct {
	made []string
	fail error // of every create
}

func (w *writes) funcs() interceptor.Funcs {
	return interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			if w.fail != nil {
				return w.fail
			}
			err := c.Create(ctx, o, opts...)
			if err == nil {
				w.made = append(w.made, "create "+kindOf(o)+" "+o.GetName())
			}
			return err
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			text, err := p.Data(o)
			if err != nil {
				return err
			}
			w.made = append(w.made, "patch "+kindOf(o)+" "+o.GetName()+" "+string(text))
			return c.Patch(ctx, o, p, opts...)
		},
	}
}

func kindOf(o client.Object) string {
	kinds, _, err := clientgoscheme.Scheme.ObjectKinds(o)
	if err != nil {
		panic(err)
	}
	return kinds[0].Kind
}

func reconciler(w *writes, objects ...client.Object) *rendezvous.Reconciler {
	return &rendezvous.Reconciler{Client: fake.NewClientBuilder().WithObjects(objects...).WithInterceptorFuncs(w.funcs()).Build()}
}

func train() ctrl.Request {
	return ctrl.Request{NamespacedName: client.ObjectKey{Namespace: "default", Name: "train"}}
}

func TestReconcile(t *testing.T) {
	two := jobtest.New("train").Annotate(job.Nodes, "2").With(uid)
	with := func(change func(*corev1.Service)) *corev1.Service {
		s := owned(expected("train", "train", 29500))
		change(s)
		return s
	}
	foreign := func(s *corev1.Service) { s.OwnerReferences, s.Spec.ClusterIP = nil, "10.0.0.1" }
	done := func(j *batchv1.Job) {
		j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue}}
	}
	deleted := func(j *batchv1.Job) {
		j.DeletionTimestamp, j.Finalizers = &metav1.Time{Time: metav1.Now().Time}, []string{"a/b"}
	}
	for name, tc := range map[string]struct {
		job     jobtest.Job
		service *corev1.Service
		want    []string
	}{
		"a Job without its Service gets it":        {job: two, want: []string{"create Service train"}},
		"one that has it is left alone":            {job: two, service: with(func(*corev1.Service) {})},
		"what the API server fills in is no drift": {job: two, service: with(func(s *corev1.Service) { s.Spec.Ports[0].TargetPort.IntVal, s.Spec.Type = 29500, "ClusterIP" })},
		"what others put on it is no drift":        {job: two, service: with(func(s *corev1.Service) { s.Labels["a"], s.Annotations = "b", map[string]string{"c": "d"} })},
		"one node gets none":                       {job: two.Annotate(job.Nodes, "1")},
		"a Job without the label gets none":        {job: two.With(func(j *batchv1.Job) { j.Labels = nil })},
		"a Job on its way out gets none":           {job: two.With(deleted)},
		"a Job that is finished gets none":         {job: two.With(done)},
		"a Job that cannot be read gets none":      {job: two.Annotate(job.MasterPort, "0")},
		"its drift is left alone once it is over":  {job: two.With(done), service: with(func(s *corev1.Service) { s.Spec.Selector = nil })},

		"another selector is repaired":     {job: two, service: with(func(s *corev1.Service) { s.Spec.Selector["job-name"] = "x" }), want: []string{`patch Service train {"spec":{"selector":{"job-name":"train"}}}`}},
		"a narrower selector is repaired":  {job: two, service: with(func(s *corev1.Service) { s.Spec.Selector["app"] = "x" }), want: []string{`patch Service train {"spec":{"selector":{"app":null}}}`}},
		"a wait for readiness is repaired": {job: two, service: with(func(s *corev1.Service) { s.Spec.PublishNotReadyAddresses = false }), want: []string{`patch Service train {"spec":{"publishNotReadyAddresses":true}}`}},
		"another port is repaired":         {job: two, service: with(func(s *corev1.Service) { s.Spec.Ports[0].Port = 80 }), want: []string{`patch Service train {"spec":{"ports":[{"name":"rendezvous","port":29500,"protocol":"TCP","targetPort":0}]}}`}},
		"a missing label is repaired":      {job: two, service: with(func(s *corev1.Service) { s.Labels = nil }), want: []string{`patch Service train {"metadata":{"labels":{"app.kubernetes.io/managed-by":"taojob"}}}`}},
		"a detour to another host is undone": {job: two, service: with(func(s *corev1.Service) {
			s.Spec.Type, s.Spec.ExternalName, s.Spec.ClusterIP = "ExternalName", "x.y", ""
		}), want: []string{`patch Service train {"spec":{"clusterIP":"None","externalName":null,"type":"ClusterIP"}}`}},

		"another's Service in the way is told":           {job: two, service: with(foreign), want: []string{"create Event train.1234"}},
		"that of an earlier Job is left to the GC":       {job: two, service: with(func(s *corev1.Service) { s.OwnerReferences[0].UID = "5678" })},
		"another's that serves as well is left in peace": {job: two, service: with(func(s *corev1.Service) { s.OwnerReferences = nil })},
	} {
		t.Run(name, func(t *testing.T) {
			w := &writes{}
			objects := []client.Object{tc.job.Obj()}
			if tc.service != nil {
				objects = append(objects, tc.service)
			}
			r := reconciler(w, objects...)
			for range 2 { // the second look finds nothing left to do
				if result, err := r.Reconcile(t.Context(), train()); err != nil || result != (ctrl.Result{}) {
					t.Fatal(result, err)
				}
			}
			if diff := cmp.Diff(tc.want, w.made); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReconcileOfAJobThatIsGone(t *testing.T) {
	w := &writes{}
	if result, err := reconciler(w).Reconcile(t.Context(), train()); err != nil || result != (ctrl.Result{}) || w.made != nil {
		t.Error(result, err, w.made)
	}
}

func TestAFailedCreateIsTriedAgainOnlyWhereThatHelps(t *testing.T) {
	services := schema.GroupResource{Resource: "services"}
	leaving := apierrors.NewForbidden(services, "train", errors.New("it is being terminated"))
	leaving.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	for name, tc := range map[string]struct {
		err   error
		again bool
	}{
		"another replica was first":          {apierrors.NewAlreadyExists(services, "train"), false},
		"the namespace is on its way out":    {leaving, false},
		"a quota of Services is used up":     {apierrors.NewForbidden(services, "train", errors.New("exceeded quota")), true},
		"the API server does not answer now": {apierrors.NewServiceUnavailable("later"), true},
	} {
		t.Run(name, func(t *testing.T) {
			r := reconciler(&writes{fail: tc.err}, jobtest.New("train").Annotate(job.Nodes, "2").With(uid).Obj())
			if _, err := r.Reconcile(t.Context(), train()); (err != nil) != tc.again {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestTheEventNamesTheServiceInTheWay(t *testing.T) {
	foreign := expected("train", "train", 29500)
	foreign.Spec.Selector = map[string]string{"app": "web"}
	r := reconciler(&writes{}, jobtest.New("train").Annotate(job.Nodes, "2").With(uid).Obj(), foreign)
	r.Instance = "webhook-0"
	if _, err := r.Reconcile(t.Context(), train()); err != nil {
		t.Fatal(err)
	}
	var events eventsv1.EventList
	if err := r.Client.List(t.Context(), &events); err != nil || len(events.Items) != 1 {
		t.Fatal(events.Items, err)
	}
	got := events.Items[0]
	want := corev1.ObjectReference{APIVersion: "batch/v1", Kind: "Job", Namespace: "default", Name: "train", UID: "1234"}
	if diff := cmp.Diff(want, got.Regarding); diff != "" {
		t.Error(diff)
	}
	if got.Type != "Warning" || got.Reason != "ServiceInTheWay" || got.ReportingInstance != "webhook-0" || got.EventTime.IsZero() || len(got.Note) > 1024 {
		t.Errorf("event is %+v", got)
	}
}
