package audit

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/taojob/taojob/pkg/facts"
	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/mutate"
	"github.com/taojob/taojob/pkg/validate"
)

// Reviewer says of objects what the webhooks would do with them.
type Reviewer struct {
	// Policy is what was decided about the rules.
	Policy *validate.Policy
	// Now tells the time, by which exceptions expire and reports are dated; nil means time.Now.
	Now func() time.Time
	// Options are those of injection.
	Options mutate.Options
	// Namespace is that of objects which name none; empty means default.
	Namespace string
	// Cluster is what is known of the cluster.
	Cluster facts.Cluster
	// Service builds a multi-node Job's headless Service; nil on one node.
	Service func(*batchv1.Job, *job.Training) *corev1.Service
	// Brief leaves out what injection makes of the objects.
	Brief bool
	// Progress is told how many of all Jobs are judged, after each; nil for nobody.
	Progress func(done, all int)
}

// Review says what there is to say of the Jobs and CronJobs among objects;
// other kinds are passed over. The report takes over the problems of reading.
// Once ctx ends, nothing more is judged, and what is left is a problem each.
func (r *Reviewer) Review(ctx context.Context, objects []Object, problems []Problem) *Report {
	report := &Report{Items: []Item{}, Problems: problems, at: r.now()}
	if r.Policy != nil {
		report.rules = r.Policy.Engine.Rules()
	}
	if r.Cluster.Nodes != nil {
		report.Pools = r.Cluster.Nodes.Pools()
	}
	taken := claims{}
	for _, j := range r.judgeAll(ctx, report.jobs(objects)) {
		if other := taken.before(j); other != nil {
			j = r.judgeOne(ctx, &j.manifest.Object, other)
		}
		if j.problem != nil {
			report.Problems = append(report.Problems, *j.problem)
		}
		if j.manifest != nil {
			taken.add(j)
			report.Items = append(report.Items, j.item)
		}
	}
	slices.SortStableFunc(report.Problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return report
}

// jobs are the Jobs and CronJobs among objects; what only looks like one is noted.
func (r *Report) jobs(objects []Object) []*Object {
	var jobs []*Object
	for i := range objects {
		switch o := &objects[i]; {
		case o.Kind != "Job" && o.Kind != "CronJob":
		case o.APIVersion != "batch/v1":
			r.passedOver(o)
		default:
			jobs = append(jobs, o)
		}
	}
	return jobs
}

// passedOver notes a Job of a version that no cluster serves. Other groups have
// kinds of that name too, such as Volcano.
func (r *Report) passedOver(o *Object) {
	if group, _, grouped := strings.Cut(o.APIVersion, "/"); group == "batch" || !grouped {
		r.Notes = append(r.Notes, o.problem(path{}.key("apiVersion"), "a "+o.Kind+" of this apiVersion is not served by the cluster and not judged, want batch/v1"))
	}
}
