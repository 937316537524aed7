package audit

import (
	"fmt"
	"io"
	"slices"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/taojob/taojob/pkg/validate"
)

// sarifLevels say how bad a finding is.
var sarifLevels = map[validate.Action]string{
	validate.Deny: "error", validate.Warn: "warning", validate.Audit: "note", validate.Off: "none",
}

// writeSARIF writes a log of SARIF 2.1.0, as code scanning takes it.
func writeSARIF(w io.Writer, r *Report, _ Style) error {
	driver := sarif.NewToolComponent().WithName("taojob").WithRules(r.sarifRules())
	run := sarif.NewRun().WithTool(sarif.NewTool().WithDriver(driver)).WithColumnKind("unicodeCodePoints")
	for _, f := range r.findings() {
		index := slices.IndexFunc(driver.Rules, func(d *sarif.ReportingDescriptor) bool { return *d.ID == f.Rule })
		run.AddResult(f.sarif(index))
	}
	run.AddInvocation(r.sarifInvocation())
	log := sarif.NewReport()
	log.AddRun(run)
	if err := log.PrettyWrite(w); err != nil {
		return fmt.Errorf("write SARIF: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// sarifRules are the rules that were asked, and those that findings name besides.
func (r *Report) sarifRules() []*sarif.ReportingDescriptor {
	rules := slices.Clone(r.rules)
	for _, f := range r.findings() {
		if !slices.ContainsFunc(rules, func(rule validate.Rule) bool { return rule.ID == f.Rule }) {
			rules = append(rules, r.describe(&f.Violation))
		}
	}
	all := make([]*sarif.ReportingDescriptor, 0, len(rules))
	for _, rule := range rules {
		text := func(s string) *sarif.MultiformatMessageString {
			return sarif.NewMultiformatMessageString().WithText(s)
		}
		all = append(all, sarif.NewRule(rule.ID).
			WithName(rule.ID).
			WithShortDescription(text(rule.Title)).
			WithFullDescription(text(rule.Description)).
			WithHelp(text(rule.Description+"\n\nHow to fix it: "+rule.Fix)).
			WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(sarifLevels[rule.Action])))
	}
	return all
}

// sarif is the finding as a result of the rule at an index.
func (f *finding) sarif(rule int) *sarif.Result {
	object := sarif.NewLogicalLocation().
		WithName(line(f.item.Name)).
		WithKind("resource").
		WithFullyQualifiedName(line(f.item.Kind + "/" + f.item.Namespace + "/" + f.item.Name))
	location := sarif.NewLocation().WithLogicalLocations([]*sarif.LogicalLocation{object})
	if file := f.item.Source.File; file != "" {
		region := sarif.NewRegion().WithStartLine(f.place.line)
		if f.place.column > 0 {
			region.WithStartColumn(f.place.column)
		}
		location.WithPhysicalLocation(sarif.NewPhysicalLocation().
			WithArtifactLocation(sarif.NewSimpleArtifactLocation(artifactURI(file))).
			WithRegion(region))
	}
	text := line(f.Path + ": " + f.Message + ". Fix: " + f.Fix)
	return sarif.NewRuleResult(f.Rule).
		WithRuleIndex(rule).
		WithLevel(sarifLevels[f.Action]).
		WithMessage(sarif.NewTextMessage(text)).
		WithLocations([]*sarif.Location{location})
}

// sarifInvocation tells what could not be read or judged.
func (r *Report) sarifInvocation() *sarif.Invocation {
	run := sarif.NewInvocation().WithExecutionSuccessful(len(r.Problems) == 0)
	for _, p := range r.Problems {
		run.AddToolExecutionNotification(sarif.NewNotification().
			WithLevel("error").WithMessage(sarif.NewTextMessage(p.String())))
	}
	return run
}
