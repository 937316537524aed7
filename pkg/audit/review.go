package audit

import (
	"cmp"
	"context"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/taojob/taojob/pkg/facts"
	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/mutate"
	"github.com/taojob/taojob/pkg/validate"
)

// Reviewer says of objects what the webhooks would do with them.
type Reviewer struct {
	// Engine holds the rules.
	Engine *validate.Engine
	// Options are those of injection.
	Options mutate.Options
	// Namespace is that of objects which name none; empty means default.
	Namespace string
	// Cluster is what is known of the cluster.
	Cluster facts.Cluster
	// Service builds a multi-node Job's headless Service; nil on one node.
	Service func(*batchv1.Job, *job.Training) *corev1.Service
}

// Review says what there is to say of the Jobs and CronJobs among objects;
// other kinds are passed over. The report takes over the problems of reading.
func (r *Reviewer) Review(ctx context.Context, objects []Object, problems []Problem) *Report {
	report := &Report{Items: []Item{}, Problems: problems}
	taken := claims{}
	for _, o := range objects {
		if o.Kind != "Job" && o.Kind != "CronJob" {
			continue
		}
		if o.APIVersion != "batch/v1" {
			report.passedOver(&o)
			continue
		}
		m, problem := decode(o)
		if problem != nil {
			report.Problems = append(report.Problems, *problem)
			continue
		}
		item, err := r.item(ctx, m, taken)
		if err != nil {
			report.Problems = append(report.Problems, o.problem(nil, line(err.Error())))
		}
		report.Items = append(report.Items, item)
	}
	slices.SortStableFunc(report.Problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return report
}

// passedOver notes a Job of a version that no cluster serves. Other groups have
// kinds of that name too, such as Volcano.
func (r *Report) passedOver(o *Object) {
	if group, _, grouped := strings.Cut(o.APIVersion, "/"); group == "batch" || !grouped {
		r.Notes = append(r.Notes, o.problem(path{}.key("apiVersion"), "a "+o.Kind+" of this apiVersion is not served by the cluster and not judged, want batch/v1"))
	}
}

// item judges one object. With an error, a rule could not be evaluated, and
// the item holds what the others say.
func (r *Reviewer) item(ctx context.Context, m *manifest, taken claims) (Item, error) {
	item := Item{
		Source: m.Source, Kind: m.Kind, Namespace: m.meta.Namespace, Name: m.meta.Name, Allowed: true,
		Violations: []validate.Violation{}, Warnings: []string{}, Skipped: []validate.Skipped{},
	}
	if item.Name == "" {
		item.Name = m.meta.GenerateName
	}
	if item.Namespace == "" {
		item.Namespace = r.Namespace
	}
	if item.Namespace == "" {
		item.Namespace = "default"
	}
	item.Selected = job.Selected(m.job.Labels)
	item.Warnings = append(item.Warnings, m.misplaced()...)
	if !item.Selected {
		return item, nil
	}
	item.Warnings = append(item.Warnings, m.warnings...)
	m.named(r.Options.NameSuffix)
	err := r.judge(ctx, m, &item, taken)
	item.redact()
	if err != nil {
		item.withhold()
	}
	return item, err
}

// judge fills in all but the head of an item.
func (r *Reviewer) judge(ctx context.Context, m *manifest, item *Item, taken claims) error {
	var err error
	if item.written, err = normal(m.object()); err != nil {
		return err
	}
	training, _ := job.Read(m.job)
	known := validate.Facts{KubeVersion: r.Cluster.Version}
	result, errs := mutate.Mutate(m.job, r.Options)
	if result != nil {
		training = result.Training
		training.Namespace = item.Namespace
		item.Warnings = append(item.Warnings, result.Warnings...)
		known = r.look(result.Job, training)
		known.Service = taken.conflict(m, training, item, known.Service)
		if err := r.preview(m, result, item); err != nil {
			return err
		}
	}
	training.Namespace = item.Namespace
	decision, err := r.Engine.Judge(ctx, validate.Input{Object: m.object(), Training: training, Facts: known})
	item.Violations = append(m.refusals(errs, decision), decision.Violations...)
	item.Skipped = append(item.Skipped, decision.Skipped...)
	for n := range item.Skipped {
		if result == nil { // the facts that were left out depend on it
			item.Skipped[n].Reason = "what is refused has to be put right first"
		}
	}
	for _, v := range item.Violations {
		item.Allowed = item.Allowed && v.Action != validate.Deny
	}
	taken.add(m, training, item)
	return err
}

// refusals are the errors of injection as violations, but for places of which
// a rule says more.
func (m *manifest) refusals(errs field.ErrorList, d validate.Decision) []validate.Violation {
	below := ""
	if m.cron != nil {
		below = "spec.jobTemplate."
	}
	refusals := []validate.Violation{}
	for _, e := range errs {
		refusal := validate.Refusal(below, e)
		if !slices.ContainsFunc(d.Violations, func(v validate.Violation) bool { return v.Path == refusal.Path }) {
			refusals = append(refusals, refusal)
		}
	}
	return refusals
}

// look gathers what is known of the cluster for the Job as injected.
func (r *Reviewer) look(injected *batchv1.Job, t *job.Training) validate.Facts {
	j := *injected
	j.Namespace = t.Namespace
	return r.Cluster.Of(&j, t)
}
