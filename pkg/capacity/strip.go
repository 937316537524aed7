package capacity

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Strip removes from a node, in place, what an Index does not look at, and
// lets equal label texts share their memory: it is the transform for a cache
// of thousands of nodes. It returns its argument. What is left is the name,
// what identifies the version, labels, taints, the cordon, allocatable, and
// whether the node is ready.
func Strip(n *corev1.Node) *corev1.Node {
	meta := metav1.ObjectMeta{Name: n.Name, UID: n.UID, ResourceVersion: n.ResourceVersion, Labels: texts.shareAll(n.Labels)}
	status := corev1.NodeStatus{Allocatable: n.Status.Allocatable}
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			status.Conditions = []corev1.NodeCondition{{Type: c.Type, Status: c.Status}}
		}
	}
	*n = corev1.Node{
		TypeMeta:   n.TypeMeta,
		ObjectMeta: meta,
		Spec:       corev1.NodeSpec{Taints: n.Spec.Taints, Unschedulable: n.Spec.Unschedulable},
		Status:     status,
	}
	return n
}

// maxShared bounds what is remembered of label texts. Nodes have some hundred
// in common, and some of their own each, which make the memory start afresh.
const maxShared = 4096

// texts are the label keys and values seen lately.
var texts shared

// shared finds the first of equal texts; its zero value is ready.
type shared struct {
	mu   sync.Mutex
	seen map[string]string
}

func (s *shared) shareAll(labels map[string]string) map[string]string {
	if labels == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make(map[string]string, len(labels))
	for key, value := range labels {
		all[s.share(key)] = s.share(value)
	}
	return all
}

func (s *shared) share(text string) string {
	if first, ok := s.seen[text]; ok {
		return first
	}
	if s.seen == nil || len(s.seen) >= maxShared {
		s.seen = make(map[string]string, maxShared)
	}
	s.seen[text] = text
	return text
}
