package audit

import (
	"fmt"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/validate"
)

// claims are the names of Services that the Jobs of a review get, by namespace
// and name. The cluster refuses a second Job that wants one which is taken.
type claims map[string]claim

// claim is the Job that has a Service.
type claim struct {
	kind, job string
	source    Source
}

// add claims the Service of a Job that is allowed. A CronJob's Jobs have Services
// of names of their own, unless their author chose one.
func (c claims) add(m *manifest, t *job.Training, i *Item) {
	if key := claimed(m, t); key != "" && i.Allowed {
		if _, taken := c[key]; !taken {
			c[key] = claim{m.Kind, i.Name, m.Source}
		}
	}
}

// conflict returns what the cluster would find under the name of the Job's
// Service if the Jobs before it were there, and says so; known when they are
// in nobody's way.
func (c claims) conflict(m *manifest, t *job.Training, i *Item, known *validate.Service) *validate.Service {
	other, taken := c[claimed(m, t)]
	if !taken || other.kind == m.Kind && other.job == i.Name || known != nil && known.Exists {
		return known
	}
	i.Warnings = append(i.Warnings, fmt.Sprintf("the Service %s is the one of %s/%s at %s:%d as well: a Service finds the pods of one Job only",
		t.Service, other.kind, other.job, other.source.File, other.source.Line))
	return &validate.Service{Exists: true, Headless: true}
}

// claimed is the key of the Job's Service; "" when it has none of a name that is known.
func claimed(m *manifest, t *job.Training) string {
	if !t.MultiNode() || m.cron != nil && m.job.Spec.Template.Spec.Subdomain == "" || m.meta.Name == "" {
		return ""
	}
	return t.Namespace + "/" + t.Service
}
