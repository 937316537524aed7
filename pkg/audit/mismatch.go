package audit

import (
	"encoding/json"
	"reflect"
)

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
	switch kind := t.Kind(); {
	case kind == reflect.Struct || kind == reflect.Map:
		object, ok := value.(map[string]any)
		if !ok {
			return at, "an object"
		}
		if kind == reflect.Map {
			return mismatchValues(t.Elem(), object, at)
		}
		return mismatchFields(t, object, at)
	case kind == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		list, ok := value.([]any)
		if !ok {
			return at, "a list"
		}
		return mismatchItems(t.Elem(), list, at)
	}
	return at, refuses(t, value)
}

func mismatchItems(t reflect.Type, list []any, at path) (path, string) {
	for i, below := range list {
		if where, want := mismatch(t, below, at.index(i)); want != "" {
			return where, want
		}
	}
	return nil, ""
}

func mismatchValues(t reflect.Type, object map[string]any, at path) (path, string) {
	for _, key := range sortedKeys(object) {
		if where, want := mismatch(t, object[key], at.key(key)); want != "" {
			return where, want
		}
	}
	return nil, ""
}

func mismatchFields(t reflect.Type, object map[string]any, at path) (path, string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, inline := fieldName(f)
		below, there := any(object), true
		where := at
		if name != "" {
			below, there = object[name]
			where = at.key(name)
		}
		if !there || name == "" && !inline {
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
