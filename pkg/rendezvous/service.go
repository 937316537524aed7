// Package rendezvous gives every multi-node Job the headless Service by which
// its pods find rank 0.
package rendezvous

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/taojob/taojob/pkg/job"
)

// portName is the one port's. A headless Service filters no ports: it is for
// people and policies to read.
const portName = "rendezvous"

// managedBy marks our Services, for people and for other tools.
const managedBy = "app.kubernetes.io/managed-by"

// Service returns the headless Service of j, which t reads; nil on one node. It
// is owned by j, and so deleted with it, once j has a UID.
//
// It publishes pods before they are ready: they have to meet in order to become so.
func Service(j *batchv1.Job, t *job.Training) *corev1.Service {
	if !t.MultiNode() {
		return nil
	}
	s := &corev1.Service{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: metav1.ObjectMeta{
			Name:      t.Service,
			Namespace: j.Namespace,
			Labels:    map[string]string{managedBy: "taojob"},
		},
		Spec: corev1.ServiceSpec{
			ClusterIP:                corev1.ClusterIPNone,
			PublishNotReadyAddresses: true,
			Selector:                 map[string]string{job.NameLabel: j.Name},
			Ports:                    []corev1.ServicePort{{Name: portName, Port: t.MasterPort, Protocol: corev1.ProtocolTCP}},
		},
	}
	if j.UID != "" {
		s.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(j, batchv1.SchemeGroupVersion.WithKind("Job"))}
	}
	return s
}
