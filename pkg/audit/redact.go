package audit

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/taojob/taojob/pkg/validate"
)

// credentialRule is the one whose findings may not be shown again.
const credentialRule = "inline-credentials"

// redacted stands in for what was found.
const redacted = "(redacted)"

// quotable is the length from which a credential is looked for within other
// text: a shorter one would tear up words, and the paths and names that hold it
// by chance.
const quotable = 6

// quotableKey is that length for the parts of a key. Those that are found are
// long, and beside them stand others that are none.
const quotableKey = 16

// leaks tells whether a credential was found.
func (i *Item) leaks() bool {
	return slices.ContainsFunc(i.Violations, func(v validate.Violation) bool { return v.Rule == credentialRule })
}

// redact blots out of every output the strings that the credential rule found,
// and every other string that holds one of them whole, be it a value or a key.
// A short one counts only where it is the whole string, or quoted in it as in
// JSON.
func (i *Item) redact() {
	secrets := secrets{}
	for _, v := range i.Violations {
		if v.Rule == credentialRule {
			visitAt(i.written, v.Path, secrets.add)
		}
	}
	if len(secrets) == 0 {
		return
	}
	// Longest first: one may hold another.
	all := slices.SortedFunc(maps.Keys(secrets), func(a, b string) int { return len(b) - len(a) })
	hit := func(text string) bool {
		return slices.ContainsFunc(all, func(s string) bool { return holds(text, s) })
	}
	i.apply = nil // it would not be what its author wrote
	for _, object := range []map[string]any{i.written, i.Mutated} {
		dropCopies(object)
	}
	for _, object := range []map[string]any{i.written, i.Mutated, i.Service} {
		for key, below := range object {
			if key != "apiVersion" && key != "kind" { // ours, and needed to read the rest
				object[key] = blotted(below, hit)
			}
		}
	}
	i.redactText(all)
}

// dropCopies blots out kubectl's copies of the manifest, wherever there is
// metadata: what they hold is another state of it, with other credentials.
func dropCopies(value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, below := range value {
			if _, text := below.(string); text && key == corev1.LastAppliedConfigAnnotation {
				value[key] = redacted
				continue
			}
			dropCopies(below)
		}
	case []any:
		for _, below := range value {
			dropCopies(below)
		}
	}
}

// secrets is a set of texts that must not be shown.
type secrets map[string]bool

// add takes in what stands at the place of a finding. An object was found for
// one of its keys; which one, the finding does not say, so all that may hide it
// are meant, but none that is ours.
func (s secrets) add(found any) {
	object, ok := found.(map[string]any)
	if !ok {
		texts(found, s.text)
		return
	}
	for key, below := range object {
		if words()[key] {
			continue
		}
		texts(below, s.text)
		for part := range strings.SplitSeq(key, "/") {
			if len(part) >= quotableKey {
				s.text(part)
			}
		}
	}
}

func (s secrets) text(text string) {
	if text = strings.TrimSpace(text); text != "" {
		s[text], s[escaped(text, true)], s[escaped(text, false)] = true, true, true
	}
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
