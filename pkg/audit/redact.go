package audit

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// credentialRule is the one whose findings may not be shown again.
const credentialRule = "inline-credentials"

// redacted stands in for what was found.
const redacted = "(redacted)"

// quotable is the length from which a credential is looked for within other
// text: a shorter one would tear up words, and the paths and names that hold it
// by chance.
const quotable = 6

// redact blots out of every output the strings that the credential rule found,
// and every other string that holds one of them whole. A short one counts only
// where it is the whole string, or quoted in it as in JSON.
func (i *Item) redact() {
	secrets := map[string]bool{}
	for _, v := range i.Violations {
		if v.Rule != credentialRule {
			continue
		}
		visitLeaves(i.written, v.Path, nil, func(text string, _ func(any)) {
			if text = strings.TrimSpace(text); text != "" {
				secrets[text] = true
				secrets[escaped(text, true)], secrets[escaped(text, false)] = true, true
			}
		})
	}
	if len(secrets) == 0 {
		return
	}
	// Longest first: one may hold another.
	all := slices.SortedFunc(maps.Keys(secrets), func(a, b string) int { return len(b) - len(a) })
	blot := func(text string, replace func(any)) {
		if slices.ContainsFunc(all, func(s string) bool { return holds(text, s) }) {
			replace(redacted)
		}
	}
	i.apply = nil // it would not be what its author wrote
	for _, object := range []map[string]any{i.written, i.Mutated, i.Service} {
		for key, below := range object {
			if key != "apiVersion" && key != "kind" { // ours, and needed to read the rest
				visitAll(below, func(v any) { object[key] = v }, blot)
			}
		}
	}
	i.redactText(all)
}

// holds tells whether text gives a secret away.
func holds(text, secret string) bool {
	if len(secret) < quotable {
		return strings.TrimSpace(text) == secret || strings.Contains(text, `"`+secret+`"`)
	}
	return strings.Contains(text, secret)
}

// withhold drops all that would show the manifest: when a rule could not be
// evaluated, nobody knows what is in it.
func (i *Item) withhold() {
	i.written, i.Mutated, i.Service, i.apply = nil, nil, nil, nil
	i.injects = nil
}

// redactText does so in sentences, which should hold none anyway.
func (i *Item) redactText(secrets []string) {
	clean := func(text *string) {
		for _, s := range secrets {
			if len(s) >= quotable {
				*text = strings.ReplaceAll(*text, s, redacted)
			}
		}
	}
	for n := range i.Violations {
		v := &i.Violations[n]
		clean(&v.Path)
		clean(&v.Message)
		clean(&v.Fix)
	}
	for n := range i.Warnings {
		clean(&i.Warnings[n])
	}
	for n := range i.Skipped {
		clean(&i.Skipped[n].Reason)
	}
	for n := range i.injects {
		clean(&i.injects[n])
	}
	clean(&i.Name)
	clean(&i.Namespace)
}

// escaped is text as it stands within a JSON string, of which some writers
// escape <, > and &.
func escaped(text string, html bool) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(html)
	if err := e.Encode(text); err != nil { // a string always encodes
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\"\n")[1:]
}
