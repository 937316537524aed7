package audit

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/taojob/taojob/pkg/validate"
)

// finding is a violation, and the item that has it.
type finding struct {
	validate.Violation
	item  *Item
	place place
}

// findings are the violations of all items: what denies first, then by rule,
// namespace and name, and in the order of the rules' own.
func (r *Report) findings() []finding {
	var all []finding
	for n := range r.Items {
		i := &r.Items[n]
		for at, v := range i.Violations {
			v.Message = spelled(&v)
			all = append(all, finding{v, i, i.places[at]})
		}
	}
	slices.SortStableFunc(all, func(a, b finding) int {
		return cmp.Or(
			cmp.Compare(weight(a.Action), weight(b.Action)), cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.item.Namespace, b.item.Namespace), cmp.Compare(a.item.Name, b.item.Name),
		)
	})
	return all
}

// spelled is the message of a violation; of one that is excepted with until when, and why.
func spelled(v *validate.Violation) string {
	if v.Excepted == nil {
		return v.Message
	}
	return v.Message + " (" + v.Excepted.String() + ")"
}

// weight sorts actions, the strongest first.
func weight(a validate.Action) int {
	return slices.Index([]validate.Action{validate.Deny, validate.Warn, validate.Audit}, a)
}

// describe is what METADATA says of a rule. Behind a refusal of injection
// stands no policy, so the violation has to tell.
func (r *Report) describe(v *validate.Violation) validate.Rule {
	for _, rule := range r.rules {
		if rule.ID == v.Rule {
			return rule
		}
	}
	return validate.Rule{
		ID: v.Rule, Title: "What cannot be injected", Action: validate.Deny, Fix: v.Fix,
		Description: "The Job says something that injection cannot do, or contradicts itself.",
	}
}

// writeFindings writes the findings rule by rule, what was not judged, and a
// line that sums up.
func writeFindings(w io.Writer, r *Report, style Style) error {
	var out bytes.Buffer
	p := palette(style.Color)
	all := r.findings()
	for len(all) > 0 {
		first := all[0]
		n := slices.IndexFunc(all, func(f finding) bool { return f.Rule != first.Rule || f.Action != first.Action })
		if n < 0 {
			n = len(all)
		}
		r.group(&out, p, all[:n])
		all = all[n:]
	}
	rest := r.unjudged()
	for _, u := range rest {
		fmt.Fprintln(&out, p.paint(dim, fmt.Sprintf("not judged in %s, %s: %s", number(u.Count, "Job"), u.Rule, u.Reason)))
	}
	if len(rest) > 0 {
		fmt.Fprintln(&out)
	}
	fmt.Fprintln(&out, r.total())
	_, err := out.WriteTo(w)
	return err
}

// group writes the findings of one rule and action. Fixes stand at the end,
// each once.
func (r *Report) group(out *bytes.Buffer, p palette, all []finding) {
	color := yellow
	if all[0].Action == validate.Deny {
		color = red
	}
	jobs := map[*Item]bool{}
	var fixes []string
	for _, f := range all {
		jobs[f.item] = true
		if !slices.Contains(fixes, f.Fix) {
			fixes = append(fixes, f.Fix)
		}
	}
	fmt.Fprintf(out, "%s  %s: %s, %s\n", p.paint(color, string(all[0].Action)+" "+all[0].Rule),
		line(r.describe(&all[0].Violation).Title), number(len(all), "finding"), number(len(jobs), "Job"))
	for n, f := range all {
		if n == 0 || f.item != all[n-1].item {
			fmt.Fprintf(out, "  %s/%s  %s\n", line(f.item.Namespace), line(f.item.Name), p.paint(dim, f.item.Kind+" "+f.item.Source.String()))
		}
		fmt.Fprintf(out, "    %s%s\n      %s\n", f.place, line(f.Path), line(f.Message))
	}
	for _, fix := range fixes {
		fmt.Fprintf(out, "  fix: %s\n", line(fix))
	}
	fmt.Fprintln(out)
}

// String is what stands before a path: 7:12, or nothing.
func (p place) String() string {
	if p.column == 0 {
		return ""
	}
	return fmt.Sprintf("%d:%d ", p.line, p.column)
}

// unjudged is why a rule could say nothing of a number of Jobs.
type unjudged struct {
	Rule, Reason string
	Count        int
}

// unjudged counts the Jobs by rule and reason, in that order.
func (r *Report) unjudged() []unjudged {
	count := map[validate.Skipped]int{}
	for _, i := range r.Items {
		for _, s := range i.Skipped {
			count[s]++
		}
	}
	var all []unjudged
	for s, n := range count {
		all = append(all, unjudged{line(s.Rule), line(s.Reason), n})
	}
	slices.SortFunc(all, func(a, b unjudged) int {
		return cmp.Or(cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Reason, b.Reason))
	})
	return all
}

// total sums up Jobs and findings.
func (r *Report) total() string {
	counts := map[validate.Action]int{}
	for _, f := range r.findings() {
		counts[f.Action]++
	}
	var parts []string
	for _, part := range []string{
		several(counts[validate.Deny], "denial"), several(counts[validate.Warn], "warning"), several(counts[validate.Audit], "recorded finding"),
	} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return r.summary()
	}
	return r.summary() + ": " + strings.Join(parts, ", ")
}

// number counts things.
func number(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// several counts things, if there are any.
func several(n int, thing string) string {
	if n == 0 {
		return ""
	}
	return number(n, thing)
}
