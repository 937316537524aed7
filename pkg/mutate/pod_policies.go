package mutate

import corev1 "k8s.io/api/core/v1"

// restartPolicy replaces the pod default Always, which no Job may have: it
// always means "not set". A failed rank must fail its pod, so that the Job sees it.
func restartPolicy(in *injection) {
	if in.pod.RestartPolicy == "" || in.pod.RestartPolicy == corev1.RestartPolicyAlways {
		in.pod.RestartPolicy = corev1.RestartPolicyNever
		in.addedToPod("restartPolicy")
	}
}

// dnsPolicy lets pods on the host's network look up the headless Service:
// with ClusterFirst they would ask the node's resolver.
func dnsPolicy(in *injection) {
	unset := in.pod.DNSPolicy == "" || in.pod.DNSPolicy == corev1.DNSClusterFirst
	if in.training.MultiNode() && in.pod.HostNetwork && unset {
		in.pod.DNSPolicy = corev1.DNSClusterFirstWithHostNet
		in.addedToPod("dnsPolicy")
	}
}

// subdomain puts the pods under the headless Service, which gives them names.
func subdomain(in *injection) {
	if in.training.MultiNode() && in.pod.Subdomain == "" && in.training.Service != "" {
		in.pod.Subdomain = in.training.Service
		in.addedToPod("subdomain")
	}
}
