package certs

import (
	"context"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// SetupWithManager makes mgr run the renewal, at once and whenever one of the
// three objects changes.
func (s *Self) SetupWithManager(mgr ctrl.Manager) error {
	everywhere := false
	request := ctrl.Request{NamespacedName: s.opts.Secret}
	same := handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []ctrl.Request { return []ctrl.Request{request} })
	first := source.Func(func(_ context.Context, q workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		q.Add(request) // the Secret may not be there, of which no event tells
		return nil
	})
	return ctrl.NewControllerManagedBy(mgr).
		Named("certificate").
		Watches(&corev1.Secret{}, same).
		Watches(&admissionv1.MutatingWebhookConfiguration{}, same).
		Watches(&admissionv1.ValidatingWebhookConfiguration{}, same).
		WatchesRawSource(first).
		WithOptions(controller.Options{NeedLeaderElection: &everywhere}).
		Complete(s)
}
