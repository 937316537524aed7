package admission

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/taojob/taojob/pkg/facts"
	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/mutate"
	"github.com/taojob/taojob/pkg/validate"
)

// subject is an object to judge, and the Job in it.
type subject struct {
	object   any
	job      *batchv1.Job
	training *job.Training
	errs     field.ErrorList // of reading the Job
	crude    bool            // the Job is not as its pods will be
	below    string          // a CronJob's: the path of its jobTemplate
}

func ofJob(j *batchv1.Job) subject {
	t, errs := job.Read(j)
	return subject{object: j, job: j, training: t, errs: errs}
}

// ofCronJob is about the Jobs that c makes as they will be once injected: the
// toleration of the GPU nodes' taint, for one, is not in c.
func ofCronJob(c *batchv1.CronJob) subject {
	j := job.OfCronJob(c)
	s := subject{object: c, job: j, below: "spec.jobTemplate."}
	result, errs := mutate.Mutate(j, mutate.Options{})
	if s.errs = errs; result == nil {
		s.training, _ = job.Read(j)
		s.crude = true
		return s
	}
	s.job, s.training = result.Job, result.Training
	return s
}

// facts are what the rules may know for s. Where its pods are not as they will
// be, only what does not depend on them is known: what is refused has to be put
// right first.
func (s *subject) facts(c *facts.Cluster) validate.Facts {
	if s.crude {
		return validate.Facts{KubeVersion: c.Version}
	}
	return c.Of(s.job, s.training)
}

// verdict is all that is to be said of an object.
type verdict struct {
	found   []validate.Violation // sorted by rule
	skipped []validate.Skipped
	failed  map[string]error // by rule; "" for what is no rule's
}

func (v *Validator) judge(ctx context.Context, s subject) verdict {
	return v.rules().judge(ctx, s, s.facts(v.Cluster()))
}

// rules are those in force at one moment.
type rules struct {
	policy *validate.Policy
	at     time.Time
}

func (v *Validator) rules() rules {
	if v.Now == nil {
		return rules{v.Policy(), time.Now()}
	}
	return rules{v.Policy(), v.Now()}
}

func (r rules) judge(ctx context.Context, s subject, known validate.Facts) verdict {
	decision, err := r.policy.Judge(ctx, validate.Input{
		Object: s.object, Training: s.training, Facts: known,
		Explain: func(reason string) string { return missing(reason, s) },
	}, r.at)
	found := decision.Violations
	for _, err := range s.errs {
		found = append(found, validate.Refusal(s.below, err))
	}
	slices.SortStableFunc(found, func(a, b validate.Violation) int { return cmp.Compare(a.Rule, b.Rule) })
	return verdict{found: found, skipped: decision.Skipped, failed: byRule(err)}
}

// missing says why a server does not know a fact. Rules say what is missing,
// and then which flags of the command line would give it.
func missing(reason string, s subject) string {
	fact, _, flags := strings.Cut(reason, ": give --")
	switch {
	case !flags:
		return reason
	case s.crude:
		return fact + ": what is refused has to be put right first"
	}
	return fact + ": the webhook has not read all of the cluster's objects yet"
}

// judgeUpdate says what updated violates and old did not. A rule that cannot
// be evaluated on old could not tell, and one that fails on both fails for a
// reason that is not the update's: neither may hold the object up.
func (v *Validator) judgeUpdate(ctx context.Context, old, updated subject) verdict {
	rules, cluster := v.rules(), v.Cluster() // the same for both: either may change meanwhile
	known := updated.facts(cluster)
	now := rules.judge(ctx, updated, known)
	if len(now.found) == 0 && len(now.failed) == 0 {
		return now
	}
	if !samePods(old, updated) { // else numbers in messages must not differ by a node that came meanwhile
		known = old.facts(cluster)
	}
	before := rules.judge(ctx, old, known)
	seen := map[identity]bool{}
	for _, f := range before.found {
		seen[identify(f)] = true
	}
	now.found = slices.DeleteFunc(now.found, func(f validate.Violation) bool {
		return seen[identify(f)] || before.failed[f.Rule] != nil
	})
	for rule, err := range before.failed {
		countError(ctx, rule, err, true)
		delete(now.failed, rule)
	}
	return now
}

// identity is what a finding is known by: its place may have moved.
type identity struct {
	rule, message string
	action        validate.Action
}

func identify(f validate.Violation) identity { return identity{f.Rule, f.Message, f.Action} }

func samePods(a, b subject) bool {
	return a.crude == b.crude && a.training.Nodes == b.training.Nodes && a.training.Service == b.training.Service &&
		equality.Semantic.DeepEqual(&a.job.Spec.Template, &b.job.Spec.Template)
}

// byRule takes the joined errors of Engine.Judge apart.
func byRule(err error) map[string]error {
	if err == nil {
		return nil
	}
	all := map[string]error{}
	parts := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		parts = joined.Unwrap()
	}
	for _, part := range parts {
		id := ""
		if r, ok := errors.AsType[*validate.RuleError](part); ok {
			id = r.Rule
		}
		all[id] = part
	}
	return all
}
