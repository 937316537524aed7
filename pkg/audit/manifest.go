package audit

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	sigsjson "sigs.k8s.io/json"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/validate"
)

// manifest is a Job, or a CronJob and the Job that it makes.
type manifest struct {
	Object
	// cron is nil for a Job.
	cron *batchv1.CronJob
	// job is the Job as written; for a CronJob, one as its controller makes it.
	job *batchv1.Job
	// meta is the object's own.
	meta *metav1.ObjectMeta
	// warnings are about fields that nobody knows.
	warnings []string
}

// item is what there is to say before anything is judged; an object that names
// no namespace is in the given one, or in default.
func (m *manifest) item(namespace string) Item {
	return Item{
		Source: m.Source, Kind: m.Kind, Allowed: true,
		Namespace:  cmp.Or(m.meta.Namespace, namespace, metav1.NamespaceDefault),
		Name:       cmp.Or(m.meta.Name, m.meta.GenerateName),
		Selected:   job.Selected(m.job.Labels),
		Violations: []validate.Violation{}, Warnings: append([]string{}, m.misplaced()...), Skipped: []validate.Skipped{},
	}
}

// decode reads o, which must be of batch/v1, into a typed object.
func decode(o Object) (*manifest, *Problem) {
	m := &manifest{Object: o}
	switch live := o.live.(type) {
	case *batchv1.Job:
		m.job, m.meta = live, &live.ObjectMeta
		return m, nil
	case *batchv1.CronJob:
		m.cron, m.job, m.meta = live, job.OfCronJob(live), &live.ObjectMeta
		return m, nil
	}
	var into any
	if o.Kind == "CronJob" {
		m.cron = &batchv1.CronJob{}
		m.meta, into = &m.cron.ObjectMeta, m.cron
	} else {
		m.job = &batchv1.Job{}
		m.meta, into = &m.job.ObjectMeta, m.job
	}
	strict, err := sigsjson.UnmarshalStrict(o.JSON, into, sigsjson.DisallowUnknownFields, sigsjson.DisallowDuplicateFields)
	if err != nil {
		return nil, o.wrongType(into)
	}
	if m.cron != nil {
		m.job = job.OfCronJob(m.cron)
	}
	if slices.ContainsFunc(strict, func(e error) bool { return strings.HasPrefix(e.Error(), "duplicate") }) {
		p := o.problem(nil, "a field is there twice")
		return nil, &p
	}
	if len(strict) > 0 {
		m.warnings = o.unknownFields(into)
	}
	if m.meta.Name == "" && m.meta.GenerateName == "" {
		p := o.problem(path{}.key("metadata"), "metadata.name: want a name, or a generateName")
		return nil, &p
	}
	return m, nil
}

// wrongType says which field of o cannot be what the type of into wants.
func (o *Object) wrongType(into any) *Problem {
	p := o.problem(nil, "does not decode as a "+o.Kind)
	var tree any
	if json.Unmarshal(o.JSON, &tree) != nil {
		return &p
	}
	if at, want := mismatch(reflect.TypeOf(into), tree, nil); want != "" {
		p = o.problem(at, at.String()+": want "+want+", found "+kindOf(valueAt(tree, at), want))
	}
	return &p
}

func valueAt(tree any, at path) any {
	for _, s := range at {
		switch value := tree.(type) {
		case map[string]any:
			tree = value[s.key]
		case []any:
			tree = value[s.index]
		}
	}
	return tree
}

// kindOf says what a value is instead of what was wanted, without the value.
func kindOf(value any, want string) string {
	if want == "a string" {
		switch value.(type) {
		case bool:
			return "true or false: put it into quotes"
		case float64:
			return "a number: put it into quotes"
		}
	}
	switch value.(type) {
	case string:
		return "another string"
	case bool:
		return "true or false"
	case float64:
		return "another number"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return "nothing"
}
