package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"path"
	"strings"
	"text/template"

	"github.com/taojob/taojob/pkg/validate"
	"github.com/taojob/taojob/policies"
)

const (
	pagesFolder = "docs/rules"
	actionsFile = "policies/conftest/actions.rego"
)

//go:embed pages.tmpl
var pages string

// page is what a rule's page shows.
type page struct {
	validate.Rule
	Refused, Allowed example
}

// files returns the pages of all built-in rules, their index, and conftest's
// table of actions, by their path below root.
func files(ctx context.Context, root string) (map[string]string, error) {
	engine, err := validate.New(ctx, policies.FS)
	if err != nil {
		return nil, err
	}
	plugin, remove, err := build(ctx, root)
	if err != nil {
		return nil, err
	}
	defer remove()
	var rules []page
	for _, rule := range engine.Rules() {
		p, err := plugin.page(ctx, rule)
		if err != nil {
			return nil, fmt.Errorf("examples of rule %s: %w", rule.ID, err)
		}
		rules = append(rules, p)
	}
	return render(rules)
}

func render(rules []page) (map[string]string, error) {
	t, err := template.New("").Funcs(template.FuncMap{
		"escape": func(text string) string { return strings.NewReplacer("<", "&lt;", "|", `\|`).Replace(text) },
		"snake":  func(id string) string { return strings.ReplaceAll(id, "-", "_") },
		"weaker": weaker,
	}).Parse(pages)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	add := func(file, name string, data any) {
		var b bytes.Buffer
		if err == nil {
			err = t.ExecuteTemplate(&b, name, data)
		}
		out[file] = b.String()
	}
	for _, p := range rules {
		add(path.Join(pagesFolder, p.ID+".md"), "page", p)
	}
	add(path.Join(pagesFolder, "README.md"), "index", rules)
	add(actionsFile, "actions", rules)
	return out, err
}

// weaker is what a platform team may turn an action down to.
func weaker(a validate.Action) validate.Action {
	if a == validate.Deny {
		return validate.Warn
	}
	return validate.Audit
}
