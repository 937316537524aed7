package rendezvous

import (
	"context"
	"fmt"
	"maps"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/taojob/taojob/pkg/job"
)

// Reconciler keeps the headless Service of every labelled multi-node Job as it
// should be. It runs on every replica: what it does is idempotent, and a Job
// must not wait for a leader to be elected.
type Reconciler struct {
	// Client reads from the cache, which holds labelled Jobs and all Services.
	Client client.Client
}

// SetupWithManager makes mgr run the reconciler.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	everywhere := false
	return ctrl.NewControllerManagedBy(mgr).
		Named("rendezvous").
		For(&batchv1.Job{}).
		Owns(&corev1.Service{}).
		WithOptions(controller.Options{NeedLeaderElection: &everywhere, MaxConcurrentReconciles: 4}).
		Complete(r)
}

// Reconcile creates or repairs the Service of one Job. A Service that is not
// that Job's is never touched.
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
		if err := r.Client.Create(ctx, want); err != nil && !apierrors.IsAlreadyExists(err) { // another replica was first
			return fmt.Errorf("create Service: %w", err)
		}
		return nil
	case err != nil:
		return fmt.Errorf("read Service: %w", err)
	case !metav1.IsControlledBy(have, j):
		log.FromContext(ctx).Info("leaving a Service alone that is not the Job's", "service", have.Name,
			"headless", Headless(have), "selectsPods", Selects(have, j))
		return nil
	}
	repaired := repair(have, want)
	if equality.Semantic.DeepEqual(have, repaired) {
		return nil
	}
	if err := r.Client.Patch(ctx, repaired, client.MergeFrom(have)); err != nil {
		return fmt.Errorf("repair Service: %w", err)
	}
	return nil
}

// repair returns have with the fields that count as they are in want. The
// cluster IP is not among them: it cannot change.
func repair(have, want *corev1.Service) *corev1.Service {
	repaired := have.DeepCopy()
	if repaired.Labels == nil {
		repaired.Labels = map[string]string{}
	}
	maps.Copy(repaired.Labels, want.Labels)
	repaired.Spec.PublishNotReadyAddresses = want.Spec.PublishNotReadyAddresses
	repaired.Spec.Selector = want.Spec.Selector
	if !samePorts(have.Spec.Ports, want.Spec.Ports) {
		repaired.Spec.Ports = want.Spec.Ports
	}
	return repaired
}

// samePorts compares what Service sets; the API server fills in the rest.
func samePorts(have, want []corev1.ServicePort) bool {
	if len(have) != len(want) {
		return false
	}
	for i := range want {
		if have[i].Name != want[i].Name || have[i].Port != want[i].Port || have[i].Protocol != want[i].Protocol {
			return false
		}
	}
	return true
}

func finished(j *batchv1.Job) bool {
	for _, c := range j.Status.Conditions {
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
			return true
		}
	}
	return false
}
