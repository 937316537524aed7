package validate

import (
	"fmt"
	"slices"
	"strings"
)

// Action is what a violation leads to.
type Action string

// The actions, from the strongest to the weakest.
const (
	// Deny refuses the Job.
	Deny Action = "deny"
	// Warn accepts it and tells its author.
	Warn Action = "warn"
	// Audit accepts it and only records the violation.
	Audit Action = "audit"
	// Off does not evaluate the rule at all.
	Off Action = "off"
)

var actions = []Action{Deny, Warn, Audit, Off}

// Actions maps rule ids to what they shall do instead of their METADATA's action.
type Actions map[string]Action

// weaker returns the weaker of two actions.
func weaker(a, b Action) Action {
	return actions[max(slices.Index(actions, a), slices.Index(actions, b))]
}

// CheckActions returns an error that lists the known ids or actions if one of
// a's is unknown. Nil is fine.
func (e *Engine) CheckActions(a Actions) error {
	ids := make([]string, 0, len(a))
	for id := range a {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		if !slices.ContainsFunc(e.rules, func(r compiled) bool { return r.ID == id }) {
			return fmt.Errorf("set action of rule %q: unknown rule, want one of %s", id, strings.Join(e.ids(), ", "))
		}
		if !slices.Contains(actions, a[id]) {
			return fmt.Errorf("set action of rule %q: unknown action %q, want one of deny, warn, audit, off", id, a[id])
		}
	}
	return nil
}

func (e *Engine) ids() []string {
	var ids []string
	for i := range e.rules {
		ids = append(ids, e.rules[i].ID)
	}
	return ids
}
