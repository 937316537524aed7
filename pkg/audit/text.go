package audit

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/taojob/taojob/pkg/validate"
)

// writeText writes a block for each item, and a line that sums up.
func writeText(w io.Writer, r *Report, style Style) error {
	var out bytes.Buffer
	p := palette(style.Color)
	for n := range r.Items {
		i := &r.Items[n]
		i.head(&out, p)
		if i.Allowed {
			for _, text := range i.injects {
				fmt.Fprintf(&out, "  %s\n", p.paint(dim, line(text)))
			}
		}
		i.body(&out, p)
	}
	fmt.Fprintln(&out, r.summary())
	_, err := out.WriteTo(w)
	return err
}

func writeItems(w io.Writer, items []Item, style Style) error {
	var out bytes.Buffer
	for i := range items {
		items[i].text(&out, palette(style.Color))
	}
	_, err := out.WriteTo(w)
	return err
}

// palette tells whether to use colors.
type palette bool

const (
	red    = "31"
	green  = "32"
	yellow = "33"
	dim    = "2"
)

func (p palette) paint(color, text string) string {
	if !p {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}

// text writes one item.
func (i *Item) text(out *bytes.Buffer, p palette) {
	i.head(out, p)
	i.body(out, p)
}

// head writes what became of an item.
func (i *Item) head(out *bytes.Buffer, p palette) {
	mark := p.paint(green, "✓")
	switch {
	case !i.Selected:
		mark = "-"
	case !i.Allowed:
		mark = p.paint(red, "✗")
	}
	where := i.Source.String()
	if !i.Selected {
		where += "  not labelled, not judged"
	}
	fmt.Fprintf(out, "%s %s %s/%s  %s\n", mark, i.Kind, line(i.Namespace), line(i.Name), p.paint(dim, where))
}

// body writes what there is to say of an item.
func (i *Item) body(out *bytes.Buffer, p palette) {
	for _, v := range i.Violations {
		color := yellow
		if v.Action == validate.Deny {
			color = red
		}
		mark := string(v.Action)
		if v.Excepted != nil {
			mark, color = "excepted", dim
		}
		fmt.Fprintf(out, "  %s  %s\n    %s\n    fix: %s\n", p.paint(color, mark+" "+v.Rule), line(v.Path), line(v.Message), line(v.Fix))
		if v.Excepted != nil {
			fmt.Fprintf(out, "    %s\n", line(v.Excepted.String()))
		}
	}
	for _, warning := range i.Warnings {
		fmt.Fprintf(out, "  %s %s\n", p.paint(yellow, "warning:"), line(warning))
	}
	if len(i.Skipped) > 0 {
		fmt.Fprintf(out, "  %s\n", p.paint(dim, i.skippedLine()))
	}
}

// line keeps text on the line it is printed on, and what could steer a terminal
// out of it: names come from files that somebody else may have written.
func line(text string) string {
	return strings.Map(func(r rune) rune {
		if r != ' ' && !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.Join(strings.Fields(text), " "))
}

var flagName = regexp.MustCompile(`--[a-z][a-z-]*`)

// skippedLine names the rules that were not judged, and the flags that their
// reasons speak of.
func (i *Item) skippedLine() string {
	var rules, flags []string
	for _, s := range i.Skipped {
		rules = append(rules, s.Rule)
		flags = append(flags, flagName.FindAllString(s.Reason, -1)...)
	}
	text := "not judged: " + strings.Join(slices.Compact(rules), ", ")
	slices.Sort(flags)
	if flags = slices.Compact(flags); len(flags) > 0 {
		text += " (see " + strings.Join(flags, ", ") + ")"
	}
	return text
}

// summary counts the items.
func (r *Report) summary() string {
	var allowed, denied, others int
	for _, i := range r.Items {
		switch {
		case !i.Selected:
			others++
		case i.Allowed:
			allowed++
		default:
			denied++
		}
	}
	text := fmt.Sprintf("%d allowed, %d denied", allowed, denied)
	if allowed+denied == 0 {
		text = "no labelled Job found"
	}
	if others > 0 {
		text += fmt.Sprintf(", %d not labelled", others)
	}
	switch n := len(r.Problems); n {
	case 0:
	case 1:
		text += ", 1 error"
	default:
		text += fmt.Sprintf(", %d errors", n)
	}
	return text
}
