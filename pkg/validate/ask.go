package validate

import (
	"context"
	"runtime/debug"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/metrics"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// judgement is one that is under way.
type judgement struct {
	input    ast.Value
	txn      storage.Transaction
	shared   topdown.VirtualCache
	decision Decision
}

// ask takes in what one rule says. A panic, which a built-in function may run
// into on operands that nobody foresaw, is that rule's error and no one else's.
func (j *judgement) ask(ctx context.Context, rule *compiled, action Action) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &panicError{cause: cause, stack: string(debug.Stack())}
		}
	}()
	halt, stop := halting(ctx)
	defer stop()
	result, err := rule.query.Eval(ctx,
		rego.EvalParsedInput(j.input), rego.EvalTransaction(j.txn), rego.EvalExternalCancel(halt),
		rego.EvalVirtualCache(j.shared), rego.EvalMetrics(metrics.NoOp()))
	if err != nil {
		return err
	}
	return j.decision.add(rule, action, result)
}

// halting returns what stops an evaluation when ctx ends, or when half of the
// time is over that ctx leaves. stop ends the watch.
func halting(ctx context.Context) (halt topdown.Cancel, stop func()) {
	halt = topdown.NewCancel()
	ended := context.AfterFunc(ctx, halt.Cancel)
	deadline, _ := ctx.Deadline() // Judge has set one
	half := time.AfterFunc(time.Until(deadline)/2, halt.Cancel)
	return halt, func() {
		ended()
		half.Stop()
	}
}
