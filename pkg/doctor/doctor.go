// Package doctor tells whether a cluster is fit for TAO training: what it has,
// what it lacks, and what to do about it. Gather reads the cluster; everything
// after that is a function of what was read.
package doctor

import (
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Status is how a check went.
type Status string

const (
	// OK is as it should be.
	OK Status = "ok"
	// Warn works, but not as one would want it, or not for everybody.
	Warn Status = "warn"
	// Fail keeps Jobs from training.
	Fail Status = "fail"
	// Unknown could not be looked at, most often for want of permission.
	Unknown Status = "unknown"
)

// Finding is what one check has to say.
type Finding struct {
	Check   string `json:"check"` // its name: a word, which never changes
	Status  Status `json:"status"`
	Message string `json:"message"`       // one sentence, with the numbers
	Fix     string `json:"fix,omitempty"` // what to do; empty if nothing
}

// Report is what all checks have to say, in the order of the list.
type Report struct {
	Namespace string    `json:"namespace"` // where the trial Jobs went
	Findings  []Finding `json:"findings"`
}

// Failed tells whether something keeps Jobs from training.
func (r Report) Failed() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Status == Fail })
}

// Blind tells whether nothing is known of the cluster but perhaps its version,
// so that to find no fault means nothing.
func (r Report) Blind() bool {
	return !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Status != Unknown && f.Check != "version" })
}

// check looks at one concern. Its name is given to all it finds.
type check struct {
	name string
	find func(*Snapshot) []Finding
}

// checks are in the order in which a person would look.
var checks = []check{
	{"version", version},
	{"gpus", gpus},
	{"runtime", runtimeClass},
	{"webhooks", registration},
	{"replicas", replicas},
	{"certificate", certificate},
	{"permissions", permissions},
	{"injection", injection},
	{"refusal", refusal},
	{"dns", dns},
	{"rendezvous", rendezvous},
	{"namespace", namespace},
}

// Examine runs all checks on what was read.
func Examine(s *Snapshot) Report {
	r := Report{Namespace: s.Namespace}
	for _, c := range checks {
		for _, f := range c.find(s) {
			f.Check = c.name
			r.Findings = append(r.Findings, f)
		}
	}
	return r
}

// Fact is something that was asked of the cluster, or why there is no answer.
type Fact[T any] struct {
	Value T
	Err   error
}

// errNotAsked is for what an earlier answer has made pointless.
var errNotAsked = errors.New("not asked")

// missing says that a check could not be made for want of a fact. What was to
// be read is named as in "list nodes".
func missing(what string, err error) []Finding {
	f := Finding{Status: Unknown, Message: fmt.Sprintf("could not %s: %v", what, err)}
	if apierrors.IsForbidden(err) {
		f.Message, f.Fix = "you may not "+what, "ask for the permission to "+what+", or let somebody run this who has it"
	}
	return []Finding{f}
}

func ok(format string, args ...any) Finding {
	return Finding{Status: OK, Message: fmt.Sprintf(format, args...)}
}

func warn(fix, format string, args ...any) Finding {
	return Finding{Status: Warn, Fix: fix, Message: fmt.Sprintf(format, args...)}
}

func fail(fix, format string, args ...any) Finding {
	return Finding{Status: Fail, Fix: fix, Message: fmt.Sprintf(format, args...)}
}
