package chart

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	promql "github.com/prometheus/prometheus/promql/parser"
	sigsyaml "sigs.k8s.io/yaml"
)

// targets are the labels that Prometheus gives everything that it reads.
var targets = []string{"__name__", "namespace", "service", "job", "pod", "instance"}

// others are the metrics of other programs, and of the libraries in ours, that
// the chart looks at, with their labels.
var others = map[string][]string{
	"up": nil,
	"controller_runtime_webhook_latency_seconds_bucket": {"webhook", "le"},
	"process_cpu_seconds_total":                         nil,
	"process_resident_memory_bytes":                     nil,
}

// TestMetrics makes sure that alerts and dashboard look at metrics and labels
// that there are: one that is not there is never seen, and alerts nobody.
func TestMetrics(t *testing.T) {
	known := metrics(t)
	for from, expressions := range map[string][]string{"an alert": alerts(t), "the dashboard": panels(t)} {
		if len(expressions) < 6 {
			t.Fatalf("%s: found only %q", from, expressions)
		}
		for _, expression := range expressions {
			// Grafana puts a duration in its place.
			parsed, err := promql.ParseExpr(strings.ReplaceAll(expression, "$__rate_interval", "5m"))
			if err != nil {
				t.Errorf("%s: %s: %v", from, expression, err)
				continue
			}
			names, labels := used(parsed)
			for _, name := range names {
				has, ok := known[name]
				if !ok {
					t.Errorf("%s looks at %s, which there is not: %s", from, name, expression)
				}
				for _, label := range labels {
					if !slices.Contains(targets, label) && !slices.Contains(has, label) {
						t.Errorf("%s looks at the label %s, which %s has not: %s", from, label, name, expression)
					}
				}
			}
		}
	}
}

// used are the metrics of an expression, and the labels that it selects or
// groups them by.
func used(expression promql.Expr) (names, labels []string) {
	promql.Inspect(expression, func(node promql.Node, _ []promql.Node) error {
		switch n := node.(type) {
		case *promql.VectorSelector:
			names = append(names, n.Name)
			for _, m := range n.LabelMatchers {
				labels = append(labels, m.Name)
			}
		case *promql.AggregateExpr:
			labels = append(labels, n.Grouping...)
		}
		return nil
	})
	return names, labels
}

// alerts are the expressions of the rules that are made.
func alerts(t *testing.T) []string {
	t.Helper()
	rendered := must(t, "", helm, "template", "taojob", filepath.Join(root, folder), "--set", "prometheusRule.enabled=true", "-s", "templates/monitoring.yaml")
	var rule struct {
		Spec struct {
			Groups []struct {
				Rules []struct {
					Expr string `json:"expr"`
				} `json:"rules"`
			} `json:"groups"`
		} `json:"spec"`
	}
	if err := sigsyaml.Unmarshal([]byte(rendered), &rule); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, group := range rule.Spec.Groups {
		for _, r := range group.Rules {
			all = append(all, r.Expr)
		}
	}
	return all
}

// panels are the expressions of the dashboard.
func panels(t *testing.T) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, folder, "dashboards", "taojob.json"))
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string `json:"title"`
			Targets []struct {
				Expr string `json:"expr"`
			} `json:"targets"`
		} `json:"panels"`
	}
	if err := json.Unmarshal(content, &dashboard); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, panel := range dashboard.Panels {
		if len(panel.Targets) == 0 {
			t.Errorf("the panel %q shows nothing", panel.Title)
		}
		for _, target := range panel.Targets {
			all = append(all, target.Expr)
		}
	}
	return all
}

// metrics reads from the source which metrics there are, and their labels.
func metrics(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for name, labels := range others {
		all[name] = labels
	}
	for _, dir := range []string{"cmd", "pkg"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(node ast.Node) bool {
				if call, ok := node.(*ast.CallExpr); ok {
					note(all, call)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// note notes the metric that a call makes, if it makes one: somewhere in its
// options is the name, and a list of strings beside them are the labels.
func note(all map[string][]string, call *ast.CallExpr) {
	var name string
	var labels []string
	for _, argument := range call.Args {
		literal, ok := argument.(*ast.CompositeLit)
		if !ok {
			continue
		}
		for _, element := range literal.Elts {
			if pair, ok := element.(*ast.KeyValueExpr); ok {
				if found := text(pair.Value); strings.HasPrefix(found, "taojob_") {
					name = found
				}
				continue
			}
			labels = append(labels, text(element))
		}
	}
	if name != "" {
		all[name] = labels
	}
}

// text is the value of a literal string, empty for anything else.
func text(expression ast.Expr) string {
	literal, ok := expression.(*ast.BasicLit)
	if !ok {
		return ""
	}
	value, _ := strconv.Unquote(literal.Value) // what is no string is not looked for
	return value
}
