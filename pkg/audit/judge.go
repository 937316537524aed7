package audit

import (
	"context"
	"errors"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/mutate"
	"github.com/taojob/taojob/pkg/validate"
)

// judged is one object and what came of it.
type judged struct {
	// manifest is nil when the object does not decode.
	manifest *manifest
	// training is nil when nothing was judged.
	training *job.Training
	// service is what is known of the cluster.
	service *validate.Service
	item    Item
	problem *Problem
}

// judgeAll judges every object, in any order, and returns them in theirs.
func (r *Reviewer) judgeAll(ctx context.Context, objects []*Object) []*judged {
	all := make([]*judged, len(objects))
	progress := counter(len(objects), r.Progress)
	each(len(objects), func(i int) {
		all[i] = r.judgeOne(ctx, objects[i], nil)
		progress()
	})
	return all
}

// judgeOne judges one object, after a Job that has the Service it wants; nil
// for none. With a problem, a rule could not be evaluated, and the item holds
// what the others say.
func (r *Reviewer) judgeOne(ctx context.Context, o *Object, other *claim) *judged {
	m, problem := decode(*o)
	if problem != nil {
		return &judged{problem: problem}
	}
	j := &judged{manifest: m, item: m.item(r.Namespace)}
	if !j.item.Selected {
		return j
	}
	j.item.Warnings = append(j.item.Warnings, m.warnings...)
	m.named(r.Options.NameSuffix)
	err := r.judge(ctx, j, other)
	for _, v := range j.item.Violations {
		j.item.places = append(j.item.places, o.place(v.Path))
	}
	j.item.redact()
	if err != nil {
		j.item.withhold()
		p := o.problem(nil, line(j.item.about(err.Error())))
		j.problem = &p
	}
	return j
}

// judge fills in all but the head of an item.
func (r *Reviewer) judge(ctx context.Context, j *judged, other *claim) error {
	m, item := j.manifest, &j.item
	var err error
	if !r.Brief {
		if item.written, err = normal(m.object()); err != nil {
			return err
		}
	}
	j.training, _ = job.Read(m.job)
	known := validate.Facts{KubeVersion: r.Cluster.Version}
	result, errs := mutate.Mutate(m.job, r.Options)
	if result != nil {
		j.training = result.Training
		j.training.Namespace = item.Namespace
		item.Warnings = append(item.Warnings, result.Warnings...)
		known = r.look(result.Job, j.training)
		j.service = known.Service
		if other != nil {
			known.Service = other.found()
			item.Warnings = append(item.Warnings, other.String())
		}
		if err := r.preview(m, result, item); err != nil {
			return err
		}
	}
	j.training.Namespace = item.Namespace
	in := validate.Input{Object: m.object(), Training: j.training, Facts: known}
	if result == nil { // what is known depends on what is wrong with the Job
		in.Explain = func(string) string { return "what is refused has to be put right first" }
	}
	decision, err := r.Policy.Judge(ctx, in, r.now())
	item.decide(m.refusals(errs, decision), decision)
	if r.Brief && item.leaks() {
		var failed error
		item.written, failed = normal(m.object())
		err = errors.Join(err, failed)
	}
	return err
}

func (r *Reviewer) now() time.Time {
	if r.Now == nil {
		return time.Now()
	}
	return r.Now()
}

// decide takes over what injection and the rules say.
func (i *Item) decide(refusals []validate.Violation, d validate.Decision) {
	i.Violations = append(refusals, d.Violations...)
	i.Skipped = append(i.Skipped, d.Skipped...)
	for _, v := range i.Violations {
		i.Allowed = i.Allowed && v.Action != validate.Deny
	}
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
