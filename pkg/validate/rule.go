package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Rule is what a rule's METADATA says of it.
type Rule struct {
	// ID is the package's name with dashes: gpu-capacity of data.tao.rules.gpu_capacity.
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description"`
	// Action is the default: deny, warn, audit or off.
	Action Action `json:"action"`
	// Fix is what to do about a violation that brings no fix of its own.
	Fix string `json:"fix"`
	// File is where the METADATA stands.
	File string `json:"-"`
}

// rulesRoot is where rules live; every package below it is one.
var rulesRoot = ast.MustParseRef("data.tao.rules")

// The sets that a rule's package may define.
const (
	violationSet = "violation"
	skippedSet   = "skipped"
)

// rulesOf returns the rules among the compiled modules, sorted by id.
func rulesOf(c *ast.Compiler) ([]Rule, error) {
	byPackage := map[string][]*ast.Module{}
	for _, file := range sortedKeys(c.Modules) {
		m := c.Modules[file]
		if !m.Package.Path.HasPrefix(rulesRoot) {
			if defines(m, violationSet) {
				return nil, fmt.Errorf("%s: package %s has violations but is not below tao.rules", file, name(m))
			}
			continue
		}
		if len(m.Package.Path) != len(rulesRoot)+1 {
			return nil, fmt.Errorf("%s: package %s: want tao.rules.<name>; what rules share belongs in another package", file, name(m))
		}
		byPackage[name(m)] = append(byPackage[name(m)], m)
	}
	var rules []Rule
	for _, pkg := range sortedKeys(byPackage) {
		rule, err := ruleOf(pkg, byPackage[pkg])
		if err != nil {
			return nil, err
		}
		rules = append(rules, rule)
	}
	slices.SortFunc(rules, func(a, b Rule) int { return strings.Compare(a.ID, b.ID) })
	return rules, nil
}

// ruleOf reads the METADATA of the one package that modules make up.
func ruleOf(pkg string, modules []*ast.Module) (Rule, error) {
	var found *ast.Annotations
	file := modules[0].Package.Loc().File
	for _, m := range modules {
		for _, a := range m.Annotations {
			if a.Scope == "package" {
				found, file = a, m.Package.Loc().File
			}
		}
	}
	if found == nil {
		return Rule{}, fmt.Errorf("%s: package %s has no METADATA", file, pkg)
	}
	text := func(key string) string { s, _ := found.Custom[key].(string); return strings.TrimSpace(s) }
	rule := Rule{
		ID:          text("id"),
		Title:       strings.TrimSpace(found.Title),
		Description: strings.TrimSpace(found.Description),
		Action:      Action(text("action")),
		Fix:         text("fix"),
		File:        file,
	}
	return rule, rule.check(pkg, modules)
}

// check tells what METADATA or rule lacks.
func (r Rule) check(pkg string, modules []*ast.Module) error {
	leaf := pkg[strings.LastIndexByte(pkg, '.')+1:]
	id := strings.ReplaceAll(leaf, "_", "-")
	has := func(m *ast.Module) bool { return defines(m, violationSet) }
	switch {
	case r.ID != id:
		return fmt.Errorf("%s: METADATA custom.id is %q, want %q as the package is named", r.File, r.ID, id)
	case r.Title == "" || r.Description == "" || r.Fix == "":
		return fmt.Errorf("%s: METADATA of %s: title, description and custom.fix must all be there", r.File, id)
	case !slices.Contains(actions, r.Action):
		return fmt.Errorf("%s: METADATA custom.action is %q, want one of deny, warn, audit, off", r.File, r.Action)
	case !slices.ContainsFunc(modules, has):
		return fmt.Errorf("%s: package %s defines no violation, want `violation contains {...} if ...`", r.File, pkg)
	}
	for _, m := range modules {
		for _, rule := range m.Rules {
			if isSet := rule.Head.RuleKind() == ast.MultiValue; !isSet && (ruleName(rule) == violationSet || ruleName(rule) == skippedSet) {
				return fmt.Errorf("%s: %s of %s is no set, want `%s contains ...`", rule.Loc().File, ruleName(rule), id, ruleName(rule))
			}
		}
	}
	return nil
}

func defines(m *ast.Module, set string) bool {
	return slices.ContainsFunc(m.Rules, func(r *ast.Rule) bool { return ruleName(r) == set })
}

// ruleName is the first word of a rule's head: violation of `violation contains x`.
func ruleName(r *ast.Rule) string {
	head, _ := r.Head.Ref()[0].Value.(ast.Var)
	return string(head)
}

// name is a module's package without "data.".
func name(m *ast.Module) string {
	return strings.TrimPrefix(m.Package.Path.String(), "data.")
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
