package config

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// schema is what the chart says of a value.
type schema struct {
	Properties map[string]schema `json:"properties"`
}

// TestChart makes sure that the chart takes every setting that there is, and no
// other: Helm then tells of a mistake before a pod does.
func TestChart(t *testing.T) {
	content, err := os.ReadFile("../../charts/taojob/values.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var values schema
	if err := json.Unmarshal(content, &values); err != nil {
		t.Fatal(err)
	}
	got := values.Properties["config"].paths("")
	want := slices.DeleteFunc(fields("", reflect.TypeFor[Config]()), func(path string) bool {
		return path == ".apiVersion" || path == ".kind" // the chart's template has them
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings of a configuration in values.schema.json (-config +chart):\n%s", diff)
	}
}

// paths lists the properties below a value.
func (s schema) paths(prefix string) []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		all = append(append(all, prefix+"."+name), s.Properties[name].paths(prefix+"."+name)...)
	}
	return all
}

// fields lists the fields of a struct, and of those in it that are of this package.
func fields(prefix string, s reflect.Type) []string {
	var all []string
	for i := range s.NumField() {
		name, _, _ := strings.Cut(s.Field(i).Tag.Get("json"), ",")
		all = append(all, prefix+"."+name)
		if inner := s.Field(i).Type; inner.Kind() == reflect.Struct && inner.PkgPath() == s.PkgPath() {
			all = append(all, fields(prefix+"."+name, inner)...)
		}
	}
	slices.Sort(all)
	return all
}
