package audit

import (
	"fmt"

	"github.com/taojob/taojob/pkg/validate"
)

// claims are the names of Services that the Jobs of a review get, by namespace
// and name. The cluster refuses a second Job that wants one which is taken.
type claims map[string]*claim

// claim is the Job that has a Service.
type claim struct {
	kind, job string
	source    Source
	service   string
}

// add claims the Service of a Job that is allowed. A CronJob's Jobs have Services
// of names of their own, unless their author chose one.
func (c claims) add(j *judged) {
	if key := j.claims(); key != "" && j.item.Allowed && c[key] == nil {
		c[key] = &claim{j.item.Kind, j.item.Name, j.item.Source, j.training.Service}
	}
}

// before is the claim of another Job to the same Service; nil when there is
// none, and when the cluster is known to hold that Service already.
func (c claims) before(j *judged) *claim {
	other := c[j.claims()]
	if other == nil || other.kind == j.item.Kind && other.job == j.item.Name || j.service != nil && j.service.Exists {
		return nil
	}
	return other
}

// found is what the cluster would find if the Job that has the claim were there.
func (c *claim) found() *validate.Service {
	return &validate.Service{Exists: true, Headless: true}
}

// String tells the second Job's author.
func (c *claim) String() string {
	return fmt.Sprintf("the Service %s is the one of %s/%s at %s as well: a Service finds the pods of one Job only",
		c.service, c.kind, c.job, c.source)
}

// claims is the key of the Job's Service; "" when it has none of a name that is known.
func (j *judged) claims() string {
	m, t := j.manifest, j.training
	if t == nil || !t.MultiNode() || m.cron != nil && m.job.Spec.Template.Spec.Subdomain == "" || m.meta.Name == "" {
		return ""
	}
	return t.Namespace + "/" + t.Service
}
