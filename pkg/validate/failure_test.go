package validate_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/types"

	"github.com/taojob/taojob/pkg/validate"
)

// endless runs for longer than anyone waits: 10^18 rounds.
const endless = `violation contains {"path": ["a"], "message": "m"} if {
	r := numbers.range(1, 1000000)
	some a in r
	some b in r
	some c in r
	((a + b) + c) < 0
}`

// panicking is a built-in function that panics with its operand, as a careless
// one might.
const panicking = "taojob_test.panicking"

func init() {
	rego.RegisterBuiltin1(&rego.Function{Name: panicking, Decl: types.NewFunction(types.Args(types.S), types.S)},
		func(_ rego.BuiltinContext, operand *ast.Term) (*ast.Term, error) { panic(operand.String()) })
}

// outcomes are the rules that found something, and the failures of the others.
func outcomes(d validate.Decision, err error) map[string]string {
	all := map[string]string{}
	for _, v := range d.Violations {
		all[v.Rule] = "found"
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, part := range joined.Unwrap() {
			if failed, ok := errors.AsType[*validate.RuleError](part); ok {
				all[failed.Rule] = string(failed.Failure)
			}
		}
	}
	return all
}

func TestARuleThatFailsLeavesTheOthersVerdicts(t *testing.T) {
	for name, tc := range map[string]struct{ rego, want, detail string }{
		"one without end takes half of the time": {endless, "timeout", "stopped: context deadline exceeded"},
		"so does one that builds a list without end": {`violation contains {"path": ["a"], "message": "m"} if {
	r := numbers.range(1, 1000000)
	count([x | some a in r; some b in r; x := a + b; x < 0]) > 0
}`, "timeout", "stopped: context deadline exceeded"},
		"a function that panics with a value does not tell it": {
			`violation contains {"path": ["a"], "message": ` + panicking + `(input.object.spec.secret)}`, "panic", "panic with a string"},
		"a panic of the runtime is named": {
			`violation contains {"path": ["a"], "message": "m"} if bits.lsh(1, 9223372036854775807) > 0`, "panic", "panic: runtime error: makeslice: len out of range"},
		"a conflict is an error": {`violation contains {"path": ["a"], "message": v}
v := "a"
v := input.object.spec.secret`, "error", "eval_conflict_error at b.rego:9"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEngine(t, map[string]string{
				"a.rego": metadata("a", "deny") + always, "b.rego": metadata("b", "deny") + tc.rego, "c.rego": metadata("c", "deny") + always,
			}, validate.WithTimeLimit(2*time.Second))
			d, err := e.Judge(t.Context(), validate.Input{Object: suspect()})
			if diff := cmp.Diff(map[string]string{"a": "found", "b": tc.want, "c": "found"}, outcomes(d, err)); diff != "" {
				t.Error(diff)
			}
			if err == nil || !strings.HasSuffix(err.Error(), tc.detail) || strings.Contains(err.Error(), canary) {
				t.Error(err)
			}
			failed, ok := errors.AsType[*validate.RuleError](err)
			if !ok || (failed.Stack != "") != (tc.want == "panic") || strings.Contains(failed.Stack, canary) {
				t.Errorf("the stack is %q", failed.Stack)
			}
		})
	}
}

func TestTheTimeLimitIsForAllRules(t *testing.T) {
	content := map[string]string{}
	for _, id := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		content[id+".rego"] = metadata(id, "deny") + endless
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tc := range map[string]struct {
		ctx   context.Context //nolint:containedctx // a case of a table
		limit time.Duration
		want  error
	}{
		"many rules without end are stopped by it": {t.Context(), 50 * time.Millisecond, context.DeadlineExceeded},
		"the end of the request stops them":        {cancelled, time.Hour, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEngine(t, content, validate.WithTimeLimit(tc.limit))
			d, err := e.Judge(tc.ctx, validate.Input{Object: suspect()})
			if !errors.Is(err, tc.want) {
				t.Errorf("error is %v, want %v", err, tc.want)
			}
			if len(d.Violations) > 0 || strings.Contains(err.Error(), canary) {
				t.Error(d, err)
			}
		})
	}
}
