package validate

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/open-policy-agent/opa/v1/topdown"
)

// Failure is why a rule could not be evaluated.
type Failure string

// The failures of rules.
const (
	// Failed is an error in the rule, such as two values for one name.
	Failed Failure = "error"
	// TimedOut took too long.
	TimedOut Failure = "timeout"
	// Panicked met a fault of a built-in function.
	Panicked Failure = "panic"
)

// RuleError says that one rule could not be evaluated. It holds no value of
// the judged object.
type RuleError struct {
	// Rule is the rule's id.
	Rule string
	// Failure is the kind of fault.
	Failure Failure
	// Detail says what went wrong and, if known, in which file and line.
	Detail string
	// Stack is where in the program a panic came from, for the log; else empty.
	Stack string
	cause error
}

// Error names the rule and the place.
func (e *RuleError) Error() string { return "evaluate rule " + e.Rule + ": " + e.Detail }

// Unwrap returns context.DeadlineExceeded if the rule took too long, the
// context's error if that stopped it, else nil.
func (e *RuleError) Unwrap() error { return e.cause }

// panicError is a panic during an evaluation.
type panicError struct {
	cause any
	stack string
}

// Error says no more than cannot be a value of the object: Go's own runtime
// errors name none, anything else might.
func (e *panicError) Error() string {
	if known, ok := e.cause.(runtime.Error); ok {
		return "panic: " + known.Error()
	}
	return fmt.Sprintf("panic with a %T", e.cause)
}

// ruleError keeps of err only what cannot hold a value: OPA puts the operands
// of a failed function into its messages.
func ruleError(ctx context.Context, id string, err error) error {
	failed := &RuleError{Rule: id, Failure: Failed, Detail: "internal error"}
	if panicked, ok := errors.AsType[*panicError](err); ok {
		failed.Failure, failed.Detail, failed.Stack = Panicked, panicked.Error(), panicked.stack
		return failed
	}
	cause := ctx.Err()
	if cause == nil && topdown.IsCancel(err) {
		cause = context.DeadlineExceeded
	}
	if cause != nil {
		failed.Failure, failed.Detail, failed.cause = TimedOut, "stopped: "+cause.Error(), cause
		return failed
	}
	if shape, ok := errors.AsType[*shapeError](err); ok {
		failed.Detail = shape.Error()
	}
	if known, ok := errors.AsType[*topdown.Error](err); ok {
		failed.Detail = known.Code
		if known.Location != nil && known.Location.File != "" {
			failed.Detail = fmt.Sprintf("%s at %s:%d", known.Code, known.Location.File, known.Location.Row)
		}
	}
	return failed
}
