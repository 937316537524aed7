package validate

import (
	"bytes"
	"encoding/json"
	"os"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"
	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"
)

// everything is a Job with a field of each kind that a Job can hold.
func everything(t *testing.T) *batchv1.Job {
	t.Helper()
	raw, err := os.ReadFile("testdata/everything.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var j batchv1.Job
	if err := yaml.UnmarshalStrict(raw, &j); err != nil {
		t.Fatal(err)
	}
	return &j
}

// asJSON is the form that toValue has to match: written as JSON and parsed.
func asJSON(t *testing.T, v any) ast.Value {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	value, err := ast.ValueFromReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestToValueIsWhatJSONSays(t *testing.T) {
	whole := everything(t)
	cron := &batchv1.CronJob{Spec: batchv1.CronJobSpec{Schedule: "@daily"}}
	cron.Spec.JobTemplate.Spec = whole.Spec
	type odd struct {
		Bytes   []byte
		None    []byte
		Nil     []string
		NilMap  map[string]string
		Float   float64
		Big     uint64
		Any     any
		Skipped string `json:"-"`
		hidden  string
	}
	for name, v := range map[string]any{
		"of a Job with everything": whole,
		"of an empty Job":          &batchv1.Job{},
		"of a CronJob":             cron,
		"of facts":                 &Facts{KubeVersion: &Version{1, 31}, Service: &Service{}, Capacity: &Capacity{Reasons: []Reason{{2, "cordoned"}}}},
		"of no facts":              &Facts{},
		"of types no Job has":      &odd{Bytes: []byte("x"), Float: 1.5, Big: 1 << 63, Any: map[string]any{"a": 1}, hidden: "h"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := toValue(v)
			if err != nil {
				t.Fatal(err)
			}
			if want := asJSON(t, v); want.Compare(got) != 0 {
				t.Error(cmp.Diff(want.String(), got.String()))
			}
		})
	}
}

func TestToValueLeavesOutManagedFields(t *testing.T) {
	j := everything(t)
	want := asJSON(t, j)
	raw := []byte(`{"metadata":{"managedFields":[{"manager":"kubectl","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{}}}]}}`)
	if err := json.Unmarshal(raw, j); err != nil {
		t.Fatal(err)
	}
	got, err := toValue(j)
	if err != nil || want.Compare(got) != 0 {
		t.Error(err, cmp.Diff(want.String(), got.String()))
	}
}

func TestToValueFailsWithoutValues(t *testing.T) {
	_, err := toValue(&struct{ F func() }{F: func() {}})
	if err == nil || err.Error() != "convert func(): no JSON form" {
		t.Error(err)
	}
}

type tree struct {
	Leaf     string
	Branches []tree
}

func TestToValueKnowsTypesThatHoldThemselves(t *testing.T) {
	v := &tree{Leaf: "a", Branches: []tree{{Leaf: "b"}}}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got, err := toValue(v); err != nil || asJSON(t, v).Compare(got) != 0 {
				t.Error(got, err)
			}
		})
	}
	all.Wait()
}

// Any Job that decodes has the same value either way.
func FuzzToValue(f *testing.F) {
	raw, err := os.ReadFile("testdata/everything.yaml")
	if err != nil {
		f.Fatal(err)
	}
	seed, err := yaml.YAMLToJSON(raw)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add([]byte(`{"metadata":{"annotations":{"":"\u0000\ud800"}},"spec":{"completions":-1}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var j batchv1.Job
		if json.Unmarshal(raw, &j) != nil {
			return
		}
		j.ManagedFields = nil
		if _, err := json.Marshal(&j); err != nil {
			return // a time that JSON cannot hold
		}
		got, err := toValue(&j)
		if err != nil {
			t.Fatal(err)
		}
		if want := asJSON(t, &j); want.Compare(got) != 0 {
			t.Error(cmp.Diff(want.String(), got.String()))
		}
	})
}
