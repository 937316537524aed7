package validate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/metrics"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// Judge asks every rule that is not off. It does no I/O and changes nothing.
//
// The error joins a *RuleError for each rule that could not be evaluated; the
// Decision then holds what the other rules say, so that a denial stands
// whatever else failed. After the time limit, or when ctx ends, the rules that
// are left are not evaluated, and errors.Is tells the cause.
func (e *Engine) Judge(ctx context.Context, in Input) (Decision, error) {
	input, err := document(in)
	if err != nil {
		return Decision{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, e.limit)
	defer cancel()
	halt := topdown.NewCancel()
	defer context.AfterFunc(ctx, halt.Cancel)()
	txn, err := e.store.NewTransaction(ctx)
	if err != nil {
		return Decision{}, fmt.Errorf("read policy data: %w", err)
	}
	defer e.store.Abort(ctx, txn)

	shared := topdown.NewVirtualCache()
	var d Decision
	var errs []error
	for i := range e.rules {
		rule := &e.rules[i]
		action := e.action(rule, in.Actions)
		if action == Off {
			continue
		}
		result, err := rule.query.Eval(ctx,
			rego.EvalParsedInput(input), rego.EvalTransaction(txn), rego.EvalExternalCancel(halt),
			rego.EvalVirtualCache(shared), rego.EvalMetrics(metrics.NoOp()))
		if err == nil {
			err = d.add(rule, action, result)
		}
		if err == nil {
			continue
		}
		errs = append(errs, ruleError(ctx, rule.ID, err))
		if ctx.Err() != nil {
			break
		}
		shared = topdown.NewVirtualCache() // what an aborted rule left in it is not to be relied on
	}
	return d, errors.Join(errs...)
}

// action is the override for this judgement, the engine's, or METADATA's.
func (e *Engine) action(r *compiled, override Actions) Action {
	if a, ok := override[r.ID]; ok {
		return a
	}
	if a, ok := e.actions[r.ID]; ok {
		return a
	}
	return r.Action
}

// queryOf asks for a rule's sets: [violation] or [violation, skipped].
func queryOf(c *ast.Compiler, rule Rule) string {
	pkg := "data.tao.rules." + strings.ReplaceAll(rule.ID, "-", "_")
	sets := []string{pkg + "." + violationSet}
	if skipped := ast.MustParseRef(pkg + "." + skippedSet); len(c.GetRulesExact(skipped)) > 0 {
		sets = append(sets, skipped.String())
	}
	return "[" + strings.Join(sets, ", ") + "]"
}

// RuleError says that one rule could not be evaluated. It holds no value of
// the judged object.
type RuleError struct {
	// Rule is the rule's id.
	Rule string
	// Detail says what went wrong and, if known, in which file and line.
	Detail string
	cause  error
}

// Error names the rule and the place.
func (e *RuleError) Error() string { return "evaluate rule " + e.Rule + ": " + e.Detail }

// Unwrap returns the context's error if it stopped the rule, else nil.
func (e *RuleError) Unwrap() error { return e.cause }

// ruleError keeps of err only what cannot hold a value: OPA puts the operands
// of a failed function into its messages.
func ruleError(ctx context.Context, id string, err error) error {
	if cause := ctx.Err(); cause != nil {
		return &RuleError{Rule: id, Detail: "stopped: " + cause.Error(), cause: cause}
	}
	if shape, ok := errors.AsType[*shapeError](err); ok {
		return &RuleError{Rule: id, Detail: shape.Error()}
	}
	failed, ok := errors.AsType[*topdown.Error](err)
	if !ok {
		return &RuleError{Rule: id, Detail: "internal error"}
	}
	if failed.Location == nil || failed.Location.File == "" {
		return &RuleError{Rule: id, Detail: failed.Code}
	}
	return &RuleError{Rule: id, Detail: fmt.Sprintf("%s at %s:%d", failed.Code, failed.Location.File, failed.Location.Row)}
}
