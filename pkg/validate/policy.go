package validate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/taojob/taojob/pkg/job"
)

// Policy is what a platform team decided about the rules of an Engine. Like it,
// a Policy is not to be changed once it is in use.
type Policy struct {
	Engine *Engine
	// Namespaces change what rules do in some namespaces; later ones win.
	Namespaces []Override
	// Exceptions turn violations into records; the first that fits counts.
	Exceptions []Exception
	// Unknown maps a rule's id, or EveryRule for all that are not named, to what
	// it leads to that the rule could not be judged: audit, the default, only
	// records it; warn and deny make a violation of it, which is never stronger
	// than the rule's own.
	Unknown Actions
}

// EveryRule stands in Policy.Unknown for the rules that are not named there.
const EveryRule = "*"

// Override is what rules do in some namespaces.
type Override struct {
	// Names are globs, as path.Match takes them.
	Names []string
	Rules Actions
}

// Exception lets Jobs violate rules for a while.
type Exception struct {
	// Rules are ids.
	Rules []string
	// Namespaces and Jobs are globs, as path.Match takes them; none stands for all.
	// A Job of a CronJob is also known by the CronJob's name when that is judged.
	Namespaces, Jobs []string
	// Reason says why, to whoever reads the record.
	Reason string
	// Expires is the last moment at which the exception counts.
	Expires time.Time
}

// Check returns an error that names the first rule or action that is unknown,
// and where it stands.
func (p *Policy) Check() error {
	for i, o := range p.Namespaces {
		if err := p.Engine.CheckActions(o.Rules); err != nil {
			return fmt.Errorf("namespaces[%d].rules: %w", i, err)
		}
	}
	for i, e := range p.Exceptions {
		for _, id := range e.Rules {
			if err := p.Engine.CheckActions(Actions{id: Audit}); err != nil {
				return fmt.Errorf("exceptions[%d].rules: %w", i, err)
			}
		}
	}
	named := maps.Clone(p.Unknown)
	delete(named, EveryRule)
	if err := p.Engine.CheckActions(named); err != nil {
		return fmt.Errorf("unknown: %w", err)
	}
	for id, a := range p.Unknown {
		if !slices.Contains(actions, a) || a == Off {
			return fmt.Errorf("unknown: %q: want one of deny, warn, audit, found %q", id, a)
		}
	}
	return nil
}

// Judge asks the engine and decides, at the moment that is now, what becomes of
// what it found. The errors are the engine's.
func (p *Policy) Judge(ctx context.Context, in Input, now time.Time) (Decision, error) {
	t := in.Training
	if t == nil {
		t = &job.Training{}
	}
	in.Actions = p.actions(t.Namespace, in.Actions)
	d, err := p.Engine.Judge(ctx, in)
	if in.Explain != nil {
		for i := range d.Skipped {
			d.Skipped[i].Reason = in.Explain(d.Skipped[i].Reason)
		}
	}
	p.doubt(&d, in.Actions)
	p.except(&d, t.Namespace, cmp.Or(t.Name, t.GenerateName), now)
	return d, err
}

// actions are those of a namespace, and over them those of one judgement.
func (p *Policy) actions(namespace string, once Actions) Actions {
	all := Actions{}
	for _, o := range p.Namespaces {
		if matches(o.Names, namespace) {
			maps.Copy(all, o.Rules)
		}
	}
	maps.Copy(all, once)
	return all
}

// doubt adds violations for rules that could not be judged, where that is not
// merely to be recorded.
func (p *Policy) doubt(d *Decision, override Actions) {
	for _, s := range d.Skipped {
		to, named := p.Unknown[s.Rule]
		if !named {
			to = cmp.Or(p.Unknown[EveryRule], Audit)
		}
		if to == Audit {
			continue
		}
		d.Violations = append(d.Violations, Violation{
			Rule: s.Rule, Action: weaker(to, p.Engine.actionOf(s.Rule, override)), Path: "metadata",
			Message: "could not be judged: " + s.Reason,
			Fix:     "try again once it can be; until then the rule's `unknown` in the configuration decides",
		})
	}
	slices.SortStableFunc(d.Violations, func(a, b Violation) int { return cmp.Compare(a.Rule, b.Rule) })
}

// except turns what is excepted at this moment into a record.
func (p *Policy) except(d *Decision, namespace, name string, now time.Time) {
	for i := range d.Violations {
		v := &d.Violations[i]
		for n := range p.Exceptions {
			if e := &p.Exceptions[n]; e.covers(v.Rule, namespace, name) && !e.Expired(now) {
				v.Action, v.Excepted = Audit, &Excepted{Reason: e.Reason, Expires: e.Expires}
				break
			}
		}
	}
}

// Expired tells whether the exception counts no longer.
func (e *Exception) Expired(now time.Time) bool { return now.After(e.Expires) }

func (e *Exception) covers(rule, namespace, name string) bool {
	return slices.Contains(e.Rules, rule) &&
		(len(e.Namespaces) == 0 || matches(e.Namespaces, namespace)) &&
		(len(e.Jobs) == 0 || matches(e.Jobs, name))
}

// matches tells whether any glob fits; Check has seen that all of them are valid.
func matches(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool {
		fits, _ := path.Match(glob, name)
		return fits
	})
}
