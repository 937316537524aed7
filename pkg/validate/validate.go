// Package validate judges a Job, together with what is known of its cluster,
// by policies written in Rego.
//
// A rule is a Rego package data.tao.rules.<name> with METADATA and a set
// `violation`; built-in rules and rules of one's own are the same thing. An
// Engine compiles them once and then judges without any I/O: everything that
// a rule may know is in the Input. Policies cannot reach the network, the
// clock or the environment either, for these functions are not there.
//
// That a rule could not be evaluated is an error and never a violation. As
// with `opa` and `conftest`, which run the same files, a built-in function
// that fails on its operands is merely undefined.
//
// Neither errors nor anything else of this package holds a value of the
// judged object; the messages of violations are the rules' own.
package validate

import "github.com/taojob/taojob/pkg/job"

// Input is all that rules see of one Job.
type Input struct {
	// Object is a *batchv1.Job, a *batchv1.CronJob or a manifest as a
	// map[string]any. Of typed objects, kind and apiVersion are filled in and
	// metadata.managedFields is left out.
	Object any
	// Training is what pkg/job reads of the Job; nil when it could not be read.
	Training *job.Training
	// Facts are about the cluster; what is not known is left nil.
	Facts Facts
	// Actions change what rules do for this judgement only, on top of the
	// engine's own; nil for no change. CheckActions says whether they are valid.
	Actions Actions
	// Explain words, for a Policy, why a rule could not be judged; nil leaves the
	// rule's own words.
	Explain func(reason string) string
}

// Facts are what is known of the cluster; a nil one is not known.
type Facts struct {
	KubeVersion *Version  `json:"kubeVersion,omitempty"`
	Capacity    *Capacity `json:"capacity,omitempty"`
	Service     *Service  `json:"service,omitempty"`
	Quota       *Quota    `json:"quota,omitempty"`
	// Claims are the PersistentVolumeClaims that the pods name.
	Claims      *References  `json:"claims,omitempty"`
	PullSecrets *PullSecrets `json:"pullSecrets,omitempty"`
}

// Capacity says how many pods of a Job the cluster could ever run at once.
type Capacity struct {
	// Want is the number of pods that have to run at once, Fit how many fit.
	Want int `json:"want"`
	Fit  int `json:"fit"`
	// Eligible of Nodes may take such a pod at all: ready, schedulable,
	// selected, their taints tolerated.
	Eligible int `json:"eligible"`
	Nodes    int `json:"nodes"`
	// Request is what each pod asks for, as text: "nvidia.com/gpu: 8".
	Request string `json:"request"`
	// Reasons say why nodes cannot take a pod, the most frequent first.
	Reasons []Reason `json:"reasons,omitempty"`
}

// Reason is one cause for which a number of nodes cannot take a pod. It is an
// alias so that a struct of the same fields, from a package that does not know
// this one, converts to a Capacity.
type Reason = struct {
	Nodes  int    `json:"nodes"`
	Reason string `json:"reason"`
}

// Service is what the namespace holds under the name of the headless Service.
type Service struct {
	// Exists tells whether there is a Service of that name; if not, the rest is false.
	Exists bool `json:"exists"`
	// Ours tells that it was made for this very Job.
	Ours bool `json:"ours"`
	// Headless and SelectsJob tell whether it can serve the Job all the same.
	Headless   bool `json:"headless"`
	SelectsJob bool `json:"selectsJob"`
}
