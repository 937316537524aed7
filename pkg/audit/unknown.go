package audit

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/taojob/taojob/pkg/job"
)

// unknownFields warns of fields of o that the type of into does not have, by
// where they are: their names may be credentials.
func (o *Object) unknownFields(into any) []string {
	var tree any
	if json.Unmarshal(o.JSON, &tree) != nil { // it was decoded before
		return nil
	}
	u := &unknowns{object: o}
	u.value(reflect.TypeOf(into), tree, nil)
	return u.warnings
}

// unknowns collects warnings on the way through an object.
type unknowns struct {
	object   *Object
	warnings []string
}

func (u *unknowns) value(t reflect.Type, value any, at path) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(unmarshaler) {
		return
	}
	switch value := value.(type) {
	case map[string]any:
		fields := map[string]reflect.Type{}
		if t.Kind() == reflect.Struct {
			fieldsOf(t, fields)
		}
		for _, key := range sortedKeys(value) {
			switch below, known := fields[key]; {
			case t.Kind() == reflect.Map:
				u.value(t.Elem(), value[key], at.key(key))
			case known:
				u.value(below, value[key], at.key(key))
			default:
				u.warn(at, key, slices.Sorted(maps.Keys(fields)))
			}
		}
	case []any:
		for i, below := range value {
			u.value(t.Elem(), below, at.index(i))
		}
	}
}

// fieldsOf adds to fields what a struct has by its name in JSON.
func fieldsOf(t reflect.Type, fields map[string]reflect.Type) {
	for i := range t.NumField() {
		switch name, inline := fieldName(t.Field(i)); {
		case inline:
			fieldsOf(t.Field(i).Type, fields)
		case name != "":
			fields[name] = t.Field(i).Type
		}
	}
}

func (u *unknowns) warn(at path, key string, fields []string) {
	text := "unknown field"
	if len(at) > 0 {
		text += " in " + at.String()
	}
	if n := u.object.keyNode(at, key); n != nil {
		text += fmt.Sprintf(" on line %d", u.object.line+n.Line-1)
	}
	if meant := job.Nearest(key, fields); meant != "" {
		text += " (is " + meant + " meant?)"
	}
	u.warnings = append(u.warnings, text+": kubectl apply refuses it, other clients drop it")
}
