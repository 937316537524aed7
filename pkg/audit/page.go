package audit

import (
	"fmt"
	"strings"

	"github.com/taojob/taojob/pkg/capacity"
	"github.com/taojob/taojob/pkg/validate"
)

// page is what the HTML template shows. Texts in it are as line leaves them.
type page struct {
	Verdict  string
	Totals   []pageTotal
	Actions  []string
	Findings []pageFinding
	Unjudged []unjudged
	Problems []string
	Remarks  []string
	Pools    []pagePool

	Rules, Namespaces chart
}

type pageTotal struct {
	Label, Class string
	Count        int
}

type pageFinding struct{ Action, Rule, Namespace, Job, Message, Fix, Path, Where string }

type pagePool struct {
	GPUs, State, Sum, Class string
	Nodes                   int
	Width                   float64
}

func newPage(r *Report) page {
	p := page{
		Totals: r.pageTotals(), Unjudged: r.unjudged(), Remarks: r.remarks(), Pools: pagePools(r.Pools),
	}
	for _, a := range pageActions {
		p.Actions = append(p.Actions, string(a))
	}
	for _, f := range r.findings() {
		p.Findings = append(p.Findings, f.page())
	}
	for _, problem := range r.Problems {
		p.Problems = append(p.Problems, problem.String())
	}
	p.Verdict = line(r.total())
	p.Rules = newChart("By rule", "rule", p.Findings, func(f pageFinding) string { return f.Rule })
	p.Namespaces = newChart("By namespace", "namespace", p.Findings, func(f pageFinding) string { return f.Namespace })
	return p
}

func (f *finding) page() pageFinding {
	where := f.item.Source.String()
	if f.place.line > 0 && f.item.Source.File != "" {
		where = fmt.Sprintf("%s:%d", line(f.item.Source.File), f.place.line)
	}
	action := f.Action
	if f.Excepted != nil {
		action = excepted
	}
	return pageFinding{
		Action: string(action), Rule: line(f.Rule), Namespace: line(f.item.Namespace),
		Job:     line(f.item.Kind + " " + f.item.Namespace + "/" + f.item.Name),
		Message: line(f.Message), Fix: line(f.Fix), Path: line(f.Path), Where: where,
	}
}

// pageTotals count Jobs, not findings: each is denied, warned of or neither.
func (r *Report) pageTotals() []pageTotal {
	var judged, denied, warned, partly int
	for n := range r.Items {
		i := &r.Items[n]
		if !i.Selected {
			continue
		}
		judged++
		if len(i.Skipped) > 0 {
			partly++
		}
		switch {
		case !i.Allowed:
			denied++
		case i.warned():
			warned++
		}
	}
	return []pageTotal{
		{"Jobs judged", "", judged}, {"Denied", "deny", denied}, {"Warned of", "warn", warned},
		{"Neither", "pass", judged - denied - warned}, {"Not fully judged", "", partly},
		{"Not labelled", "", len(r.Items) - judged}, {"Problems", "", len(r.Problems)},
	}
}

func (i *Item) warned() bool {
	for _, v := range i.Violations {
		if v.Action == validate.Warn {
			return true
		}
	}
	return false
}

// remarks are what was noticed of manifests beside the rules.
func (r *Report) remarks() []string {
	var all []string
	for n := range r.Items {
		i := &r.Items[n]
		for _, warning := range i.Warnings {
			all = append(all, line(fmt.Sprintf("%s %s/%s (%s): %s", i.Kind, i.Namespace, i.Name, i.Source, warning)))
		}
	}
	for _, note := range r.Notes {
		all = append(all, note.String())
	}
	return all
}

// pagePools tells of pools; the widths compare their numbers of nodes.
func pagePools(pools []capacity.Pool) []pagePool {
	classes := map[capacity.State]string{capacity.Ready: "pass", capacity.Cordoned: "warn", capacity.NotReady: "deny"}
	most := 0
	for _, p := range pools {
		most = max(most, p.Nodes)
	}
	var all []pagePool
	for _, p := range pools {
		all = append(all, pagePool{
			GPUs: gpusOf(p.GPUs, 1), Sum: gpusOf(p.GPUs, int64(p.Nodes)), State: string(p.State),
			Class: classes[p.State], Nodes: p.Nodes, Width: share(p.Nodes, most),
		})
	}
	return all
}

// gpusOf is what a number of nodes have: 16 gpu, 4 mig-1g.5gb.
func gpusOf(gpus []capacity.Amount, nodes int64) string {
	if len(gpus) == 0 {
		return "none"
	}
	var parts []string
	for _, a := range gpus {
		parts = append(parts, fmt.Sprintf("%d %s", a.Count*nodes, strings.TrimPrefix(a.Resource, "nvidia.com/")))
	}
	return strings.Join(parts, ", ")
}
