package capacity

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestFitSpreadsPods(t *testing.T) {
	a, b, c := gpuNode("a"), gpuNode("b"), gpuNode("c", label("zone", "b"))
	cpu := gpuNode("cpu", label("zone", "c"), gpuless)
	tainted := gpuNode("t", label("zone", "c"), taint("team", "x", corev1.TaintEffectNoSchedule))
	honor, ignore, three := corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore, int32(3)
	checkFits(t, map[string]fits{
		"one domain need not be even with any":             {[]*corev1.Node{a, b}, pod(gpus("8"), spreadOver("zone")), 2, 2},
		"the larger domain takes one more":                 {[]*corev1.Node{a, b, c}, pod(gpus("4"), spreadOver("zone")), 6, 5},
		"a domain without room leaves one pod in each":     {[]*corev1.Node{a, b, c, cpu}, pod(gpus("4"), spreadOver("zone")), 4, 2},
		"also when it is tainted":                          {[]*corev1.Node{a, b, c, tainted}, pod(gpus("4"), spreadOver("zone")), 4, 2},
		"unless taints are honoured":                       {[]*corev1.Node{a, b, c, tainted}, pod(gpus("4"), spreadOver("zone", func(c *corev1.TopologySpreadConstraint) { c.NodeTaintsPolicy = &honor })), 6, 5},
		"a domain that is not selected does not count":     {[]*corev1.Node{a, b, c, cpu}, pod(gpus("4"), requires("In", "zone", "a", "b"), spreadOver("zone")), 6, 5},
		"unless selection is ignored":                      {[]*corev1.Node{a, b, c, cpu}, pod(gpus("4"), requires("In", "zone", "a", "b"), spreadOver("zone", func(c *corev1.TopologySpreadConstraint) { c.NodeAffinityPolicy = &ignore })), 6, 2},
		"too few domains count as an empty one":            {[]*corev1.Node{a, b, c}, pod(gpus("4"), spreadOver("zone", func(c *corev1.TopologySpreadConstraint) { c.MinDomains = &three })), 4, 2},
		"more skew allows more":                            {[]*corev1.Node{a, b, c, cpu}, pod(gpus("4"), spreadOver("zone", func(c *corev1.TopologySpreadConstraint) { c.MaxSkew = 2 })), 6, 4},
		"a soft constraint is none":                        {[]*corev1.Node{a, cpu}, pod(gpus("4"), spreadOver("zone", func(c *corev1.TopologySpreadConstraint) { c.WhenUnsatisfiable = corev1.ScheduleAnyway })), 2, 2},
		"a node without the label takes none":              {[]*corev1.Node{gpuNode("a", unlabelled("zone"))}, pod(gpus("4"), spreadOver("zone")), 1, 0},
		"labels that others may have, too, decide nothing": {[]*corev1.Node{a, cpu}, pod(gpus("4"), spreadOver("zone", func(c *corev1.TopologySpreadConstraint) { c.LabelSelector = named("app", "tao") })), 2, 2},
		"a key of the Job controller's makes them its own": {[]*corev1.Node{a, cpu}, pod(gpus("4"), spreadOver("zone", func(c *corev1.TopologySpreadConstraint) {
			c.LabelSelector, c.MatchLabelKeys = named("app", "tao"), []string{"controller-uid"}
		})), 2, 1},
	})
}
