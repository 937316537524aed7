package audit

import (
	"encoding/json"
	"reflect"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	sigsjson "sigs.k8s.io/json"

	"github.com/taojob/taojob/pkg/job"
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

// decode reads o, which must be of batch/v1, into a typed object.
func decode(o Object) (*manifest, *Problem) {
	m := &manifest{Object: o}
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
	for _, strict := range strict {
		if strings.HasPrefix(strict.Error(), "duplicate") {
			p := o.problem(nil, strict.Error())
			return nil, &p
		}
		m.warnings = append(m.warnings, strict.Error()+": kubectl apply refuses it, other clients drop it")
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

// wants says what types with a JSON form of their own take.
var wants = map[string]string{
	"Quantity":    `a quantity such as 8 or 16Gi`,
	"Time":        `a time such as 2006-01-02T15:04:05Z`,
	"MicroTime":   `a time such as 2006-01-02T15:04:05.000000Z`,
	"IntOrString": `a whole number or a string`,
	"Duration":    `a duration such as 5m`,
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// mismatch finds the first value, in the order of the type's fields, that does
// not decode into t, and says what would; "" when all does.
func mismatch(t reflect.Type, value any, at path) (path, string) {
	if value == nil {
		return nil, ""
	}
	if t.Kind() == reflect.Pointer {
		return mismatch(t.Elem(), value, at)
	}
	if reflect.PointerTo(t).Implements(unmarshaler) {
		return at, refuses(t, value)
	}
	switch t.Kind() {
	case reflect.Struct:
		object, ok := value.(map[string]any)
		if !ok {
			return at, "an object"
		}
		return mismatchFields(t, object, at)
	case reflect.Map:
		object, ok := value.(map[string]any)
		if !ok {
			return at, "an object"
		}
		for _, key := range sortedKeys(object) {
			if where, want := mismatch(t.Elem(), object[key], at.key(key)); want != "" {
				return where, want
			}
		}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return at, refuses(t, value)
		}
		list, ok := value.([]any)
		if !ok {
			return at, "a list"
		}
		for i, below := range list {
			if where, want := mismatch(t.Elem(), below, at.index(i)); want != "" {
				return where, want
			}
		}
	default:
		return at, refuses(t, value)
	}
	return nil, ""
}

func mismatchFields(t reflect.Type, object map[string]any, at path) (path, string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		below, there := any(object), true
		where := at
		if name != "" {
			below, there = object[name]
			where = at.key(name)
		}
		if !there || name == "-" || name == "" && !f.Anonymous {
			continue
		}
		if where, want := mismatch(f.Type, below, where); want != "" {
			return where, want
		}
	}
	return nil, ""
}

// refuses says what a value of t would be if value does not decode into it.
func refuses(t reflect.Type, value any) string {
	raw, err := json.Marshal(value)
	if err == nil && json.Unmarshal(raw, reflect.New(t).Interface()) == nil {
		return ""
	}
	if want, known := wants[t.Name()]; known {
		return want
	}
	switch kind := t.Kind(); {
	case kind == reflect.String:
		return "a string"
	case kind == reflect.Bool:
		return "true or false"
	case kind >= reflect.Int && kind <= reflect.Uint64:
		return "a whole number"
	case kind == reflect.Slice:
		return "base64"
	}
	return "another type"
}
