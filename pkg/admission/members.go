package admission

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"
)

// escape makes a key part of a JSON pointer (RFC 6901).
var escape = strings.NewReplacer("~", "~0", "/", "~1")

// member is how a struct's field stands in JSON; inline puts its own members
// in its place.
type member struct {
	index  int
	name   string
	inline bool
}

var knownMembers sync.Map // reflect.Type to []member

// membersOf reads the JSON tags of a Kubernetes type, once.
func membersOf(t reflect.Type) []member {
	if known, ok := knownMembers.Load(t); ok {
		return known.([]member)
	}
	var all []member
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.IsExported() || name == "-" {
			continue
		}
		all = append(all, member{index: i, name: escape.Replace(name), inline: field.Anonymous && name == ""})
	}
	knownMembers.Store(t, all)
	return all
}

var marshaler = reflect.TypeFor[json.Marshaler]()

// opaque tells whether a type, such as a Quantity, is not what its fields say.
func opaque(t reflect.Type) bool {
	return t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler)
}

// empty tells of a map or list whether nothing is in it.
func empty(v reflect.Value) bool {
	return (v.Kind() == reflect.Map || v.Kind() == reflect.Slice) && v.Len() == 0
}

// omitted tells whether a value that says nothing has no JSON. A struct has,
// and so has a number, unless its tag says otherwise: it is written either way.
func omitted(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface, reflect.String:
		return true
	}
	return false
}
