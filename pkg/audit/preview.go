package audit

import (
	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/mutate"
)

// object is what is judged: the object as its author wrote it.
func (m *manifest) object() any {
	if m.cron != nil {
		return m.cron
	}
	return m.job
}

// named gives a CronJob that has only a generateName an example of a name, from
// which its Jobs' names begin.
func (m *manifest) named(suffix string) {
	if m.cron != nil && m.cron.Name == "" {
		c := m.cron.DeepCopy()
		c.Name = c.GenerateName + suffix
		m.job = job.OfCronJob(c)
	}
}

// preview shows what the cluster would store; in a brief review, it only warns.
func (r *Reviewer) preview(m *manifest, result *mutate.Result, item *Item) error {
	service := r.Service(result.Job, result.Training)
	if result.Job.Name != m.meta.Name && result.Training.MultiNode() {
		item.Warnings = append(item.Warnings, "the name "+result.Job.Name+" is an example: the cluster draws its end at random")
	}
	if m.cron != nil && service != nil {
		item.Warnings = append(item.Warnings, m.servicesOfJobs())
	}
	if r.Brief {
		return nil
	}
	var err error
	if item.Mutated, err = m.injected(result); err != nil {
		return err
	}
	if service != nil {
		service.Namespace = m.meta.Namespace
		if item.Service, err = normal(service); err != nil {
			return err
		}
	}
	switch {
	case m.cron == nil && item.Service != nil:
		item.apply = append(item.apply, item.Service, item.Mutated)
	case m.cron == nil:
		item.apply = append(item.apply, item.Mutated)
	default:
		item.apply = append(item.apply, item.written) // the webhook injects its Jobs, not it
	}
	item.injects = injects(result)
	return nil
}

// servicesOfJobs says what Services the Jobs of a CronJob get. One that was
// named is the first Job's until that is deleted.
func (m *manifest) servicesOfJobs() string {
	if m.job.Spec.Template.Spec.Subdomain == "" {
		return "each Job of the CronJob gets a name of its own, and a Service of that name"
	}
	return "with a subdomain, all Jobs of the CronJob want one Service, which only finds the pods of one: " +
		"the next Job is refused as long as the last is kept; leave out subdomain, and each gets its own"
}

// injected is the Job after injection, or the CronJob as if its template had
// been injected.
func (m *manifest) injected(result *mutate.Result) (map[string]any, error) {
	if m.cron == nil {
		return normal(result.Job)
	}
	c := m.cron.DeepCopy()
	c.Spec.JobTemplate.Spec = result.Job.Spec
	return normal(c)
}
