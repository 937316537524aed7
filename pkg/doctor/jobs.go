package doctor

import (
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/taojob/taojob/pkg/job"
)

// rendezvous tells whether the running Jobs of several nodes have what their
// nodes find each other by.
func rendezvous(s *Snapshot) []Finding {
	if s.Jobs.Err != nil {
		return missing("list jobs", s.Jobs.Err)
	}
	if s.Services.Err != nil {
		return missing("list services", s.Services.Err)
	}
	var all []Finding
	running := 0
	for i := range s.Jobs.Value {
		j := &s.Jobs.Value[i]
		t, errs := job.Read(j)
		if len(errs) > 0 || t.Nodes < 2 || finished(j) {
			continue
		}
		running++
		service := s.find(j.Namespace, t.Service)
		switch {
		case service == nil:
			all = append(all, fail("the webhook makes it: look at its log, and at the Job's events",
				"Job %s/%s has no Service %s, so that its %d nodes do not find each other", j.Namespace, j.Name, t.Service, t.Nodes))
		case service.Spec.ClusterIP != corev1.ClusterIPNone:
			all = append(all, fail("delete it, or give the Job another spec.subdomain",
				"the Service %s/%s of a Job is not headless, so that its nodes do not find each other", j.Namespace, t.Service))
		}
	}
	if len(all) == 0 {
		all = append(all, ok("%d Jobs run on several nodes, each with its Service", running))
	}
	return all
}

func finished(j *batchv1.Job) bool {
	for _, c := range j.Status.Conditions {
		if c.Status == corev1.ConditionTrue && (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) {
			return true
		}
	}
	return false
}

// namespace tells of what a namespace asks of pods that training often lacks.
func namespace(s *Snapshot) []Finding {
	if s.homeless() {
		return []Finding{fail("create it, or name another by --namespace", "the namespace %s does not exist", s.Namespace)}
	}
	var all []Finding
	if s.Own.Err != nil {
		all = append(all, missing("get namespaces", s.Own.Err)...)
	} else {
		all = append(all, labels(s.Own.Value)...)
	}
	if s.Quotas.Err != nil {
		all = append(all, missing("list resourcequotas in "+s.Namespace, s.Quotas.Err)...)
	}
	for _, q := range s.Quotas.Value {
		for name, hard := range q.Status.Hard {
			if used := q.Status.Used[name]; isGPU(name) && used.Cmp(hard) >= 0 {
				all = append(all, warn("wait, or ask for more", "the quota %s leaves no %s: %s of %s are used", q.Name, name, used.String(), hard.String()))
			}
		}
	}
	if len(all) == 0 {
		all = append(all, ok("%s asks nothing of pods that training lacks", s.Namespace))
	}
	return all
}

// isGPU tells whether a quota is of GPUs: requests.nvidia.com/gpu.
func isGPU(name corev1.ResourceName) bool {
	return strings.HasPrefix(string(name), "requests."+gpuPrefix)
}

// labels of a namespace that change what becomes of its pods.
func labels(ns *corev1.Namespace) []Finding {
	var all []Finding
	if level := ns.Labels["pod-security.kubernetes.io/enforce"]; level == "restricted" {
		all = append(all, warn("give the Job's pods and containers a securityContext that fits, as kubectl's warnings say",
			"%s enforces Pod Security %q: an image that runs as root does not start", ns.Name, level))
	}
	for _, mesh := range []string{"istio-injection=enabled", "linkerd.io/inject=enabled"} {
		key, value, _ := strings.Cut(mesh, "=")
		if ns.Labels[key] == value || ns.Annotations[key] == value {
			all = append(all, warn("exclude the Job's pods: "+exclusion[key],
				"%s puts a mesh's sidecar into pods (%s): it may hold a Job open, and come between its nodes", ns.Name, mesh))
		}
	}
	return all
}

// exclusion is what keeps a mesh's sidecar out of one pod.
var exclusion = map[string]string{
	"istio-injection":   `the label sidecar.istio.io/inject: "false"`,
	"linkerd.io/inject": "the annotation linkerd.io/inject: disabled",
}
