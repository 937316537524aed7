package capacity

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// gpuNode has eight GPUs, 64 CPUs and 512Gi, but for what the changes say.
func gpuNode(name string, changes ...func(*corev1.Node)) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name, "zone": "a"}}}
	n.Status.Allocatable = quantities("cpu", "64", "memory", "512Gi", "pods", "110", "nvidia.com/gpu", "8")
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	for _, change := range changes {
		change(n)
	}
	return n
}

func quantities(pairs ...string) corev1.ResourceList {
	list := corev1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		list[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return list
}

func has(pairs ...string) func(*corev1.Node) {
	return func(n *corev1.Node) {
		for name, quantity := range quantities(pairs...) {
			n.Status.Allocatable[name] = quantity
		}
	}
}

func label(key, value string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Labels[key] = value }
}

func taint(key, value string, effect corev1.TaintEffect) func(*corev1.Node) {
	return func(n *corev1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Value: value, Effect: effect})
	}
}

func cordoned(n *corev1.Node) { n.Spec.Unschedulable = true }

func status(s corev1.ConditionStatus) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Status.Conditions[0].Status = s }
}

// pod has one container with these limits, but for what the changes say.
func pod(limits corev1.ResourceList, changes ...func(*corev1.PodTemplateSpec)) *corev1.PodTemplateSpec {
	p := &corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Labels: map[string]string{"job-name": "train", "app": "tao"}}}
	p.Spec.Containers = []corev1.Container{{Name: "tao", Resources: corev1.ResourceRequirements{Limits: limits}}}
	for _, change := range changes {
		change(p)
	}
	return p
}

func gpus(n string) corev1.ResourceList { return quantities("nvidia.com/gpu", n) }

func tolerates(key string) func(*corev1.PodTemplateSpec) {
	return func(p *corev1.PodTemplateSpec) {
		p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists})
	}
}

func selects(key, value string) func(*corev1.PodTemplateSpec) {
	return func(p *corev1.PodTemplateSpec) { p.Spec.NodeSelector = map[string]string{key: value} }
}

// own are terms about the pod's own kind, one per topology key.
func own(topologies ...string) []corev1.PodAffinityTerm {
	var terms []corev1.PodAffinityTerm
	for _, key := range topologies {
		terms = append(terms, corev1.PodAffinityTerm{
			TopologyKey:   key,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"job-name": "train"}},
		})
	}
	return terms
}

func affinity(p *corev1.PodTemplateSpec) *corev1.Affinity {
	if p.Spec.Affinity == nil {
		p.Spec.Affinity = &corev1.Affinity{}
	}
	return p.Spec.Affinity
}

func apart(topologies ...string) func(*corev1.PodTemplateSpec) {
	return func(p *corev1.PodTemplateSpec) {
		affinity(p).PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: own(topologies...)}
	}
}

func together(topologies ...string) func(*corev1.PodTemplateSpec) {
	return func(p *corev1.PodTemplateSpec) {
		affinity(p).PodAffinity = &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: own(topologies...)}
	}
}

// spreadOver adds a hard constraint of skew 1 about the pod's own kind.
func spreadOver(key string, changes ...func(*corev1.TopologySpreadConstraint)) func(*corev1.PodTemplateSpec) {
	return func(p *corev1.PodTemplateSpec) {
		c := corev1.TopologySpreadConstraint{
			MaxSkew: 1, TopologyKey: key, WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: own("")[0].LabelSelector,
		}
		for _, change := range changes {
			change(&c)
		}
		p.Spec.TopologySpreadConstraints = append(p.Spec.TopologySpreadConstraints, c)
	}
}

// term changes the first term of anti-affinity.
func changed(change func(*corev1.PodAffinityTerm)) func(*corev1.PodTemplateSpec) {
	return func(p *corev1.PodTemplateSpec) {
		change(&p.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0])
	}
}

func pinnedTo(node string) func(*corev1.PodTemplateSpec) {
	return func(p *corev1.PodTemplateSpec) { p.Spec.NodeName = node }
}

func gpuless(n *corev1.Node) { delete(n.Status.Allocatable, "nvidia.com/gpu") }

func unlabelled(key string) func(*corev1.Node) {
	return func(n *corev1.Node) { delete(n.Labels, key) }
}

func requires(operator corev1.NodeSelectorOperator, key string, values ...string) func(*corev1.PodTemplateSpec) {
	return func(p *corev1.PodTemplateSpec) {
		affinity(p).NodeAffinity = &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: operator, Values: values}}}},
		}}
	}
}

func hostPort(p *corev1.PodTemplateSpec) {
	p.Spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 29500, HostPort: 29500}}
}

func initGPUs(n string) func(*corev1.PodTemplateSpec) {
	return func(p *corev1.PodTemplateSpec) {
		p.Spec.InitContainers = []corev1.Container{{Name: "init", Resources: corev1.ResourceRequirements{Limits: gpus(n)}}}
	}
}

func sidecarGPUs(n string) func(*corev1.PodTemplateSpec) {
	return func(p *corev1.PodTemplateSpec) {
		initGPUs(n)(p)
		p.Spec.InitContainers[0].RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
	}
}

func podMemory(limit string) func(*corev1.PodTemplateSpec) {
	return func(p *corev1.PodTemplateSpec) {
		p.Spec.Resources = &corev1.ResourceRequirements{Limits: quantities("memory", limit)}
	}
}

// orRequires adds another term to a required node affinity.
func orRequires(key, value string) func(*corev1.PodTemplateSpec) {
	return func(p *corev1.PodTemplateSpec) {
		terms := &p.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
		*terms = append(*terms, corev1.NodeSelectorTerm{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{value}}},
		})
	}
}

func checkSame(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
