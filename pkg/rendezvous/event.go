package rendezvous

import (
	"cmp"
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// controllerName is how Events name us.
const controllerName = "tao.nvidia.com/rendezvous"

// leave says of another's Service that it is in the way. One that is headless
// and selects the Job's pods serves the Job as well as ours would.
//
// The Event's name is that of the Job: however many replicas look, and however
// often, there is one, and whoever made it logs it.
func (r *Reconciler) leave(ctx context.Context, j *batchv1.Job, s *corev1.Service) error {
	if Headless(s) && Selects(s, j) {
		return nil
	}
	err := r.Client.Create(ctx, r.inTheWay(j, s))
	switch {
	case apierrors.IsAlreadyExists(err), apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return nil
	case err != nil:
		return fmt.Errorf("create Event: %w", err)
	}
	log.FromContext(ctx).Info("leaving a Service alone that is not the Job's",
		"service", s.Name, "headless", Headless(s), "selectsPods", Selects(s, j))
	return nil
}

func (r *Reconciler) inTheWay(j *batchv1.Job, s *corev1.Service) *eventsv1.Event {
	return &eventsv1.Event{
		ObjectMeta:          metav1.ObjectMeta{Namespace: j.Namespace, Name: j.Name + "." + string(j.UID)},
		EventTime:           metav1.NowMicro(),
		ReportingController: controllerName,
		ReportingInstance:   cmp.Or(r.Instance, controllerName),
		Type:                corev1.EventTypeWarning,
		Reason:              "ServiceInTheWay",
		Action:              "CreateService",
		Regarding: corev1.ObjectReference{
			APIVersion: batchv1.SchemeGroupVersion.String(), Kind: "Job", Namespace: j.Namespace, Name: j.Name, UID: j.UID,
		},
		Note: fmt.Sprintf("The pods cannot find each other: Service %q is not this Job's, and it is not a headless one that selects them. "+
			"It is left alone. Delete or rename it, and the right one is made.", s.Name),
	}
}
