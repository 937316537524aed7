package validate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// Judge asks every rule that is not off. It does no I/O and changes nothing.
//
// The error joins a *RuleError for each rule that could not be evaluated; the
// Decision then holds what the other rules say, so that a denial stands
// whatever else failed. A rule may take half of the time that is left, so that
// one without end leaves time for the others. After the time limit, or when
// ctx ends, the rules that are left are not evaluated, and errors.Is tells the
// cause.
func (e *Engine) Judge(ctx context.Context, in Input) (Decision, error) {
	input, err := document(in)
	if err != nil {
		return Decision{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, e.limit)
	defer cancel()
	txn, err := e.store.NewTransaction(ctx)
	if err != nil {
		return Decision{}, fmt.Errorf("read policy data: %w", err)
	}
	defer e.store.Abort(ctx, txn)

	j := judgement{input: input, txn: txn, shared: topdown.NewVirtualCache()}
	var errs []error
	for i := range e.rules {
		rule := &e.rules[i]
		action := e.action(rule, in.Actions)
		if action == Off {
			continue
		}
		err := j.ask(ctx, rule, action)
		if err == nil {
			continue
		}
		errs = append(errs, ruleError(ctx, rule.ID, err))
		if ctx.Err() != nil {
			break
		}
		j.shared = topdown.NewVirtualCache() // what an aborted rule left in it is not to be relied on
	}
	return j.decision, errors.Join(errs...)
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

// actionOf is the action of the rule with that id, Off if there is none.
func (e *Engine) actionOf(id string, override Actions) Action {
	for i := range e.rules {
		if e.rules[i].ID == id {
			return e.action(&e.rules[i], override)
		}
	}
	return Off
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
