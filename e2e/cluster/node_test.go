package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestNode(t *testing.T) {
	taint := corev1.Taint{Key: "nvidia.com/gpu", Effect: corev1.TaintEffectNoSchedule}
	for name, tc := range map[string]struct {
		spec      NodeSpec
		resources map[corev1.ResourceName]string
		labels    map[string]string
		taints    []corev1.Taint
		err       string
	}{
		"a name is enough": {
			spec:      NodeSpec{Name: "a"},
			resources: map[corev1.ResourceName]string{"cpu": "32", "memory": "256Gi", "pods": "110", "ephemeral-storage": "1Ti"},
		},
		"what is given wins, and may be more": {
			spec: NodeSpec{
				Name: "a", GPUs: 8, CPU: "4", Memory: "16Gi",
				Resources: map[corev1.ResourceName]string{"pods": "3", "nvidia.com/mig-1g.5gb": "7"},
				Labels:    map[string]string{"zone": "b", corev1.LabelHostname: "other"},
				Taints:    []corev1.Taint{taint},
			},
			resources: map[corev1.ResourceName]string{
				"cpu": "4", "memory": "16Gi", "pods": "3", "ephemeral-storage": "1Ti",
				"nvidia.com/gpu": "8", "nvidia.com/mig-1g.5gb": "7",
			},
			labels: map[string]string{"zone": "b", corev1.LabelHostname: "other"},
			taints: []corev1.Taint{taint},
		},
		"a bad quantity is told": {spec: NodeSpec{Name: "a", Memory: "lots"}, err: `parse memory "lots"`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tc.spec.node("v1.37.2")
			checkError(t, err, tc.err)
			if err != nil {
				return
			}
			if diff := cmp.Diff(wantNode(tc.resources, tc.labels, tc.taints), got, ignoreTimes); diff != "" {
				t.Error(diff)
			}
		})
	}
}

var ignoreTimes = cmpopts.IgnoreTypes(metav1.Time{})

func wantNode(resources map[corev1.ResourceName]string, labels map[string]string, taints []corev1.Taint) *corev1.Node {
	list := corev1.ResourceList{}
	for name, q := range resources {
		list[name] = resource.MustParse(q)
	}
	all := map[string]string{
		"kubernetes.io/hostname": "a", "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
	}
	for k, v := range labels {
		all[k] = v
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: all},
		Spec:       corev1.NodeSpec{Taints: taints},
		Status: corev1.NodeStatus{
			Capacity: list, Allocatable: list,
			Conditions: []corev1.NodeCondition{{Type: "Ready", Status: "True", Reason: "Pretended"}},
			NodeInfo:   corev1.NodeSystemInfo{KubeletVersion: "v1.37.2", OperatingSystem: "linux", Architecture: "amd64"},
		},
	}
}
