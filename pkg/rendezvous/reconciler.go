package rendezvous

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/taojob/taojob/pkg/job"
)

// byService indexes labelled Jobs by the name of the Service they need.
const byService = "rendezvous.service"

// Reconciler keeps the headless Service of every labelled multi-node Job as it
// should be. It runs on every replica: what it does is idempotent, and a Job
// must not wait for a leader to be elected.
//
// It creates, and patches no more than what differs. Server-side apply would do
// the same in one request, but on every look at a Job, since only the API
// server knows then whether anything differs; and an update would send back
// what the cache has left out. Replicas that do the same at once do no harm:
// of two that create one loses, and a patch twice is a patch.
type Reconciler struct {
	// Client reads from the cache, which holds labelled Jobs and all Services.
	Client client.Client
	// Instance names this replica in Events.
	Instance string
}

// SetupWithManager makes mgr run the reconciler. It looks at a Job again when
// anything happens to a Service of the name that the Job needs, whosever it
// is: when another's is gone, the name is free.
func (r *Reconciler) SetupWithManager(ctx context.Context, mgr ctrl.Manager) error {
	if err := mgr.GetFieldIndexer().IndexField(ctx, &batchv1.Job{}, byService, needs); err != nil {
		return err
	}
	everywhere := false
	return ctrl.NewControllerManagedBy(mgr).
		Named("rendezvous").
		For(&batchv1.Job{}).
		Watches(&corev1.Service{}, handler.EnqueueRequestsFromMapFunc(r.needing)).
		WithOptions(controller.Options{NeedLeaderElection: &everywhere, MaxConcurrentReconciles: 4}).
		Complete(r)
}

// needs returns the name of the Service that a Job needs, nil for none.
func needs(o client.Object) []string {
	j, ok := o.(*batchv1.Job)
	if !ok || !job.Selected(j.Labels) {
		return nil
	}
	if t, errs := job.Read(j); len(errs) == 0 && t.MultiNode() {
		return []string{t.Service}
	}
	return nil
}

// needing returns the Jobs that need a Service of that name, as a rule one.
func (r *Reconciler) needing(ctx context.Context, s client.Object) []ctrl.Request {
	var jobs batchv1.JobList
	err := r.Client.List(ctx, &jobs, client.InNamespace(s.GetNamespace()), client.MatchingFields{byService: s.GetName()})
	if err != nil {
		log.FromContext(ctx).Error(err, "look for the Jobs of a Service", "service", client.ObjectKeyFromObject(s))
		return nil
	}
	var requests []ctrl.Request
	for i := range jobs.Items {
		requests = append(requests, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&jobs.Items[i])})
	}
	return requests
}

// Reconcile creates or repairs the Service of one Job. A Service that is not
// that Job's is never touched, and nothing is done for a Job that is finished
// or being deleted.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	j := &batchv1.Job{}
	if err := r.Client.Get(ctx, req.NamespacedName, j); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !job.Selected(j.Labels) || j.DeletionTimestamp != nil || finished(j) {
		return ctrl.Result{}, nil
	}
	t, errs := job.Read(j)
	if len(errs) > 0 { // admitted while the webhook was not there
		log.FromContext(ctx).Info("no Service for a Job that cannot be read", "errors", errs.ToAggregate().Error())
		return ctrl.Result{}, nil
	}
	want := Service(j, t)
	if want == nil {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.ensure(ctx, j, want)
}

func (r *Reconciler) ensure(ctx context.Context, j *batchv1.Job, want *corev1.Service) error {
	have := &corev1.Service{}
	err := r.Client.Get(ctx, client.ObjectKeyFromObject(want), have)
	switch {
	case apierrors.IsNotFound(err):
		return r.create(ctx, j, want)
	case err != nil:
		return fmt.Errorf("read Service: %w", err)
	case !metav1.IsControlledBy(have, j):
		return r.leave(ctx, j, have)
	}
	repaired := repair(have, want)
	if equality.Semantic.DeepEqual(have, repaired) {
		return nil
	}
	if err := r.Client.Patch(ctx, repaired, client.MergeFrom(have)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("repair Service: %w", err)
	}
	log.FromContext(ctx).Info("repaired the Service", "service", want.Name)
	return nil
}

// create tolerates that another replica was first, or that a Job's namespace
// is on its way.
func (r *Reconciler) create(ctx context.Context, j *batchv1.Job, want *corev1.Service) error {
	err := r.Client.Create(ctx, want)
	switch {
	case apierrors.IsAlreadyExists(err), apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return nil
	case err != nil:
		return fmt.Errorf("create Service: %w", err)
	}
	log.FromContext(ctx).V(1).Info("created the Service", "service", want.Name, "after", metav1.Now().Sub(j.CreationTimestamp.Time).String())
	return nil
}

func finished(j *batchv1.Job) bool {
	for _, c := range j.Status.Conditions {
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
			return true
		}
	}
	return false
}
