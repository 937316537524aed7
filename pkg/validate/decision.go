package validate

import (
	"slices"
	"time"
)

// Decision is what the rules say of one Job.
type Decision struct {
	// Violations are sorted by rule, then by place in the object, then by message.
	Violations []Violation
	// Skipped are the rules that could not be judged, sorted by rule and reason.
	Skipped []Skipped
}

// Denied tells whether any violation refuses the Job.
func (d Decision) Denied() bool {
	return slices.ContainsFunc(d.Violations, func(v Violation) bool { return v.Action == Deny })
}

// Violation is one finding of a rule.
type Violation struct {
	// Rule is the rule's id.
	Rule string `json:"rule"`
	// Action is deny, warn or audit.
	Action Action `json:"action"`
	// Path is where in the object, such as spec.template.spec.containers[0].env[1].value.
	Path string `json:"path"`
	// Message says what is wrong, Fix what to do about it; neither is empty.
	Message string `json:"message"`
	Fix     string `json:"fix"`
	// Excepted tells why the violation is only recorded; nil if it counts.
	Excepted *Excepted `json:"excepted,omitempty"`
}

// Excepted is the exception that covers a violation.
type Excepted struct {
	Reason string `json:"reason"`
	// Expires is the last moment at which it does.
	Expires time.Time `json:"expires"`
}

// String says until when, and why.
func (e *Excepted) String() string {
	return "excepted until " + e.Expires.UTC().Format("2006-01-02 15:04:05 MST") + ": " + e.Reason
}

// Skipped says why a rule could not be judged.
type Skipped struct {
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
}
