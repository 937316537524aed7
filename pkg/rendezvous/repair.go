package rendezvous

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
)

// repair returns have with the fields that count as they are in want. The
// cluster IP counts only where somebody took it away: else it cannot change.
func repair(have, want *corev1.Service) *corev1.Service {
	repaired := have.DeepCopy()
	if repaired.Labels == nil {
		repaired.Labels = map[string]string{}
	}
	maps.Copy(repaired.Labels, want.Labels)
	if have.Spec.Type == corev1.ServiceTypeExternalName {
		repaired.Spec.Type, repaired.Spec.ExternalName = corev1.ServiceTypeClusterIP, ""
		repaired.Spec.ClusterIP = want.Spec.ClusterIP
	}
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
