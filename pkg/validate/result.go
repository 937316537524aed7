package validate

import (
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
)

// shapeError tells that a rule's result is not what one looks like.
type shapeError struct{ text string }

func (e *shapeError) Error() string { return e.text }

// The keys of a violation. A misspelt one must not pass for an absent one.
var violationKeys = []string{"path", "message", "fix", "action"}

// add appends what one rule found.
func (d *Decision) add(rule *compiled, action Action, result rego.ResultSet) error {
	sets, err := setsOf(result)
	if err != nil {
		return err
	}
	found := make([]finding, 0, sets[0].Len())
	for _, term := range sets[0].Slice() {
		f, err := readFinding(rule, action, term)
		if err != nil {
			return err
		}
		found = append(found, f)
	}
	slices.SortFunc(found, compareFindings)
	var skipped []Skipped
	for _, set := range sets[1:] {
		for _, term := range set.Slice() {
			reason, ok := term.Value.(ast.String)
			if !ok {
				return &shapeError{"skipped holds something that is no string"}
			}
			skipped = append(skipped, Skipped{Rule: rule.ID, Reason: string(reason)})
		}
	}
	slices.SortFunc(skipped, func(a, b Skipped) int { return strings.Compare(a.Reason, b.Reason) })
	for _, f := range found {
		d.Violations = append(d.Violations, f.Violation)
	}
	d.Skipped = append(d.Skipped, skipped...)
	return nil
}

// setsOf takes the query's array apart.
func setsOf(result rego.ResultSet) ([]ast.Set, error) {
	if len(result) != 1 || len(result[0].Expressions) != 1 {
		return nil, &shapeError{"no result"}
	}
	term, _ := result[0].Expressions[0].Value.(*ast.Term)
	array, ok := term.Value.(*ast.Array)
	if !ok {
		return nil, &shapeError{"no result"}
	}
	var sets []ast.Set
	for i := range array.Len() {
		set, ok := array.Elem(i).Value.(ast.Set)
		if !ok {
			return nil, &shapeError{"violation or skipped is no set"}
		}
		sets = append(sets, set)
	}
	return sets, nil
}

// finding is a violation and its place in the object, to sort by.
type finding struct {
	Violation
	place *ast.Array
}

// compareFindings sorts by place, numbers as numbers, then by text.
func compareFindings(a, b finding) int {
	if c := a.place.Compare(b.place); c != 0 {
		return c
	}
	if c := strings.Compare(a.Message, b.Message); c != 0 {
		return c
	}
	return strings.Compare(a.Fix+string(a.Action), b.Fix+string(b.Action))
}

func readFinding(rule *compiled, action Action, term *ast.Term) (finding, error) {
	f := finding{Violation: Violation{Rule: rule.ID, Action: action, Fix: rule.Fix}}
	object, ok := term.Value.(ast.Object)
	if !ok {
		return f, &shapeError{"a violation is no object"}
	}
	err := object.Iter(func(key, value *ast.Term) error {
		name, _ := key.Value.(ast.String)
		return f.set(string(name), value.Value)
	})
	switch {
	case err != nil:
		return f, err
	case f.place == nil || f.Message == "":
		return f, &shapeError{"a violation has no path or no message"}
	}
	return f, nil
}

// set takes over one key of a violation.
func (f *finding) set(key string, value ast.Value) error {
	if array, ok := value.(*ast.Array); ok && key == "path" {
		path, err := renderPath(array)
		f.place, f.Path = array, path
		return err
	}
	text, ok := value.(ast.String)
	if !ok || text == "" || key == "path" || !slices.Contains(violationKeys, key) {
		return &shapeError{"want violations as objects with path (an array) and message, fix, action (strings)"}
	}
	switch key {
	case "message":
		f.Message = string(text)
	case "fix":
		f.Fix = string(text)
	case "action":
		return f.weaken(Action(text))
	}
	return nil
}

// weaken lets a rule ask for less than its action, never for more.
func (f *finding) weaken(to Action) error {
	if to == Off || !slices.Contains(actions, to) {
		return &shapeError{"a violation's action is none of deny, warn, audit"}
	}
	f.Action = weaker(f.Action, to)
	return nil
}
