package audit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/taojob/taojob/pkg/validate"
)

// excepted stands on the page for the action that an exception takes away.
const excepted validate.Action = "excepted"

// pageActions are the parts of a bar, from the left.
var pageActions = []validate.Action{validate.Deny, validate.Warn, validate.Audit, excepted}

// chart counts findings by what they have in common, most first. Select is the
// filter that shows those of a bar.
type chart struct {
	Title, Head, Select string
	Columns             []validate.Action
	Bars                []bar
}

type bar struct {
	Name  string
	Parts []barPart
	sum   int
}

// barPart is the part of one action. Its place and width are percents of the
// longest bar.
type barPart struct {
	Action   validate.Action
	Count    int
	X, Width float64
}

func newChart(title, by string, findings []pageFinding, key func(pageFinding) string) chart {
	counts := map[string]map[string]int{}
	for _, f := range findings {
		if counts[key(f)] == nil {
			counts[key(f)] = map[string]int{}
		}
		counts[key(f)][f.Action]++
	}
	c := chart{Title: title, Head: by, Select: by, Columns: pageActions}
	most := 0
	for _, name := range sortedKeys(counts) {
		b := bar{Name: name}
		for _, a := range pageActions {
			b.Parts = append(b.Parts, barPart{Action: a, Count: counts[name][string(a)]})
			b.sum += counts[name][string(a)]
		}
		most = max(most, b.sum)
		c.Bars = append(c.Bars, b)
	}
	for _, b := range c.Bars {
		before := 0
		for n := range b.Parts {
			b.Parts[n].X, b.Parts[n].Width = share(before, most), share(b.Parts[n].Count, most)
			before += b.Parts[n].Count
		}
	}
	slices.SortStableFunc(c.Bars, func(a, b bar) int {
		return cmp.Or(cmp.Compare(b.sum, a.sum), strings.Compare(a.Name, b.Name))
	})
	return c
}

// share is a percentage.
func share(part, of int) float64 {
	if of == 0 {
		return 0
	}
	return 100 * float64(part) / float64(of)
}
