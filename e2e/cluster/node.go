package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// GPU is the resource that NodeSpec.GPUs counts.
const GPU corev1.ResourceName = "nvidia.com/gpu"

// NodeSpec describes a node to pretend.
type NodeSpec struct {
	Name   string
	GPUs   int    // 0 for a node without the resource
	CPU    string // default 32
	Memory string // default 256Gi
	// Resources are further ones, such as nvidia.com/mig-1g.5gb.
	Resources map[corev1.ResourceName]string
	Labels    map[string]string // beside hostname, os and arch
	Taints    []corev1.Taint
}

// AddNode registers a node that is Ready at once. It is the one fake of the
// cluster: there is no machine, no kubelet and no GPU behind it, only what the
// scheduler and our webhooks read of a node.
func (c *Cluster) AddNode(ctx context.Context, spec NodeSpec) error {
	node, err := spec.node("v" + c.Assets.Version)
	if err != nil {
		return fmt.Errorf("describe node %s: %w", spec.Name, err)
	}
	nodes := c.Client.CoreV1().Nodes()
	if _, err := nodes.Create(ctx, node, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create node %s: %w", spec.Name, err)
	}
	// The server taints every new node as unready, even a ready one, and leaves
	// it to the node lifecycle controller to take that back.
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"taints": spec.Taints}})
	if err != nil {
		return fmt.Errorf("encode taints of node %s: %w", spec.Name, err)
	}
	if _, err := nodes.Patch(ctx, spec.Name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("set taints of node %s: %w", spec.Name, err)
	}
	return nil
}

func (s NodeSpec) node(kubelet string) (*corev1.Node, error) {
	resources, err := s.resources()
	if err != nil {
		return nil, err
	}
	labels := map[string]string{
		corev1.LabelHostname: s.Name, corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64",
	}
	maps.Copy(labels, s.Labels)
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: s.Name, Labels: labels},
		Spec:       corev1.NodeSpec{Taints: s.Taints},
		Status: corev1.NodeStatus{
			Capacity:    resources,
			Allocatable: resources,
			Conditions:  []corev1.NodeCondition{ready()},
			NodeInfo: corev1.NodeSystemInfo{
				KubeletVersion: kubelet, OperatingSystem: "linux", Architecture: "amd64",
			},
		},
	}, nil
}

func (s NodeSpec) resources() (corev1.ResourceList, error) {
	wanted := map[corev1.ResourceName]string{
		corev1.ResourceCPU: "32", corev1.ResourceMemory: "256Gi",
		corev1.ResourcePods: "110", corev1.ResourceEphemeralStorage: "1Ti",
	}
	if s.CPU != "" {
		wanted[corev1.ResourceCPU] = s.CPU
	}
	if s.Memory != "" {
		wanted[corev1.ResourceMemory] = s.Memory
	}
	if s.GPUs > 0 {
		wanted[GPU] = strconv.Itoa(s.GPUs)
	}
	maps.Copy(wanted, s.Resources)
	list := corev1.ResourceList{}
	for name, text := range wanted {
		q, err := resource.ParseQuantity(text)
		if err != nil {
			return nil, fmt.Errorf("parse %s %q: %w", name, text, err)
		}
		list[name] = q
	}
	return list, nil
}

func ready() corev1.NodeCondition {
	now := metav1.Now()
	return corev1.NodeCondition{
		Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "Pretended",
		LastHeartbeatTime: now, LastTransitionTime: now,
	}
}
