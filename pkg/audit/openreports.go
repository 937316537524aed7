package audit

import (
	"bytes"
	"fmt"
	"io"
	"time"

	reports "github.com/openreports/reports-api/apis/openreports.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/taojob/taojob/pkg/validate"
)

const (
	// reportName is that of a namespace's Report; further ones are numbered.
	reportName = "taojob-audit"
	// maxResults of some hundred bytes each stay below what etcd takes.
	maxResults = 1000
	// maxMessage bounds a result, in characters.
	maxMessage = 500
)

// writeOpenReports writes Reports of openreports.io to apply.
func writeOpenReports(w io.Writer, r *Report, _ Style) error {
	var out bytes.Buffer
	for _, report := range r.OpenReports() {
		raw, err := yaml.Marshal(report)
		if err != nil {
			return fmt.Errorf("write Report as YAML: %w", err)
		}
		out.WriteString("---\n")
		out.Write(raw)
	}
	_, err := out.WriteTo(w)
	return err
}

// OpenReports returns the report as Reports of openreports.io: one for each
// namespace, or more where there are many results. Names stay the same from one
// audit to the next. Each violation and rule that was not judged is a result;
// a Job that has neither passes.
func (r *Report) OpenReports() []*reports.Report {
	byNamespace := map[string][]reports.ReportResult{}
	for n := range r.Items {
		if i := &r.Items[n]; i.Selected {
			byNamespace[i.Namespace] = append(byNamespace[i.Namespace], i.results(r.at)...)
		}
	}
	var all []*reports.Report
	for _, namespace := range sortedKeys(byNamespace) {
		results := byNamespace[namespace]
		for part := 1; len(results) > 0; part++ {
			n := min(len(results), maxResults)
			all = append(all, openReport(namespace, part, results[:n]))
			results = results[n:]
		}
	}
	return all
}

func openReport(namespace string, part int, results []reports.ReportResult) *reports.Report {
	o := &reports.Report{
		TypeMeta: metav1.TypeMeta{APIVersion: "openreports.io/v1alpha1", Kind: "Report"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: reportName,
			Labels: map[string]string{"app.kubernetes.io/managed-by": "taojob"},
		},
		Source: "taojob", Results: results,
	}
	if part > 1 {
		o.Name += fmt.Sprintf("-%d", part)
	}
	for _, result := range results {
		switch result.Result {
		case "fail":
			o.Summary.Fail++
		case "warn":
			o.Summary.Warn++
		case "skip":
			o.Summary.Skip++
		case "pass":
			o.Summary.Pass++
		}
	}
	return o
}

// results are what there is to say of the item.
func (i *Item) results(at time.Time) []reports.ReportResult {
	one := func(rule string, result reports.Result, severity reports.ResultSeverity, text string) reports.ReportResult {
		return reports.ReportResult{
			Source: "taojob", Policy: "taojob", Rule: rule, Result: result, Severity: severity, Scored: result == "fail",
			Timestamp:   metav1.Timestamp{Seconds: at.Unix()},
			Subjects:    []corev1.ObjectReference{{APIVersion: "batch/v1", Kind: i.Kind, Namespace: i.Namespace, Name: i.Name}},
			Description: shortened(line(text)),
		}
	}
	var all []reports.ReportResult
	for _, v := range i.Violations {
		outcome, severity := outcomeOf(v.Action)
		result := one(v.Rule, outcome, severity, spelled(&v))
		result.Properties = map[string]string{"path": shortened(v.Path), "fix": shortened(v.Fix)}
		all = append(all, result)
	}
	for _, s := range i.Skipped {
		all = append(all, one(s.Rule, "skip", "info", s.Reason))
	}
	if len(all) == 0 {
		all = append(all, one("", "pass", "", "no rule finds anything"))
	}
	return all
}

// outcomeOf says what a violation is in terms of openreports.io.
func outcomeOf(a validate.Action) (reports.Result, reports.ResultSeverity) {
	switch a {
	case validate.Deny:
		return "fail", "high"
	case validate.Warn:
		return "warn", "medium"
	}
	return "warn", "info"
}

// shortened cuts a text that is too long for a result.
func shortened(text string) string {
	if all := []rune(text); len(all) > maxMessage {
		return string(all[:maxMessage-1]) + hidden
	}
	return text
}
