package validate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
)

// DefaultTimeLimit is for one judgement by all rules, which takes less than a
// millisecond; it only has to stop a rule that does not end.
const DefaultTimeLimit = time.Second

// Engine holds compiled policies. It never changes after New, and any number
// of goroutines may judge with it.
type Engine struct {
	rules   []compiled
	store   storage.Store
	actions Actions
	limit   time.Duration
}

// compiled is a rule that is ready to run.
type compiled struct {
	Rule
	query rego.PreparedEvalQuery
}

type settings struct {
	actions Actions
	limit   time.Duration
	more    []named
}

type named struct {
	name string
	fsys fs.FS
}

// Option changes how an Engine is made.
type Option func(*settings)

// WithActions overrides the default actions of rules. New fails on a rule that
// is not there.
func WithActions(a Actions) Option {
	return func(s *settings) { s.actions = a }
}

// WithTimeLimit bounds each judgement; the default is DefaultTimeLimit.
func WithTimeLimit(d time.Duration) Option {
	return func(s *settings) { s.limit = d }
}

// WithPolicies adds the policies of another file system. Errors name its files
// below name. A rule that is there already is an error: two may not share an id.
func WithPolicies(name string, fsys fs.FS) Option {
	return func(s *settings) { s.more = append(s.more, named{name, fsys}) }
}

// New compiles the rules in policies. The error names the file, and the line
// where there is one.
func New(ctx context.Context, policies fs.FS, options ...Option) (*Engine, error) {
	set := settings{limit: DefaultTimeLimit, more: []named{{"", policies}}}
	for _, o := range options {
		o(&set)
	}
	allowed := capabilities()
	src := sources{modules: map[string]*ast.Module{}, data: map[string]any{}}
	for _, n := range set.more {
		if err := src.load(n.name, n.fsys, allowed); err != nil {
			return nil, err
		}
	}
	e := &Engine{
		store:   inmem.NewFromObjectWithOpts(src.data, inmem.OptReturnASTValuesOnRead(true)),
		actions: set.actions,
		limit:   set.limit,
	}
	compiler, err := e.compile(ctx, src.modules, allowed)
	if err != nil {
		return nil, err
	}
	if err := e.prepare(ctx, compiler); err != nil {
		return nil, err
	}
	if err := e.CheckActions(set.actions); err != nil {
		return nil, err
	}
	return e, nil
}

func (e *Engine) compile(ctx context.Context, modules map[string]*ast.Module, allowed *ast.Capabilities) (*ast.Compiler, error) {
	txn, err := e.store.NewTransaction(ctx)
	if err != nil {
		return nil, fmt.Errorf("compile policies: %w", err)
	}
	defer e.store.Abort(ctx, txn)
	c := ast.NewCompiler().
		WithCapabilities(allowed).
		WithStrict(true).
		WithPathConflictsCheck(storage.NonEmpty(ctx, e.store, txn))
	if c.Compile(modules); c.Failed() {
		return nil, fmt.Errorf("compile policies: %w", c.Errors)
	}
	return c, nil
}

// prepare makes a query for every rule. One query for each, rather than one
// for all, so that an error is the error of one rule and leaves the others'
// verdicts standing; what rules share is computed once in either case.
func (e *Engine) prepare(ctx context.Context, c *ast.Compiler) error {
	rules, err := rulesOf(c)
	if err != nil {
		return fmt.Errorf("compile policies: %w", err)
	}
	if len(rules) == 0 {
		return errors.New("compile policies: no rule, want a package below tao.rules")
	}
	for _, rule := range rules {
		query, err := rego.New(
			rego.Compiler(c), rego.Store(e.store), rego.Query(queryOf(c, rule)),
			rego.GenerateJSON(func(t *ast.Term, _ *rego.EvalContext) (any, error) { return t, nil }),
		).PrepareForEval(ctx)
		if err != nil {
			return fmt.Errorf("prepare rule %s: %w", rule.ID, err)
		}
		e.rules = append(e.rules, compiled{Rule: rule, query: query})
	}
	return nil
}

// Rules returns what is known of each rule, sorted by id. The actions are
// those of METADATA, not the overridden ones.
func (e *Engine) Rules() []Rule {
	var rules []Rule
	for i := range e.rules {
		rules = append(rules, e.rules[i].Rule)
	}
	return rules
}
