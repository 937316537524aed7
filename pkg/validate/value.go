package validate

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
	"k8s.io/apimachinery/pkg/api/resource"
)

// managedFields is the server's book-keeping: no rule needs it and it is
// often larger than the rest of the object.
const managedFields = "managedFields"

// member is how one field of a Go struct appears in JSON.
type member struct {
	key       *ast.Term
	index     int
	inline    bool
	omitEmpty bool
	omitZero  bool
}

// members caches the JSON form of struct types: reflect.Type to []member.
var members sync.Map

var (
	quantityType  = reflect.TypeFor[resource.Quantity]()
	marshalerType = reflect.TypeFor[json.Marshaler]()
)

// toValue returns v as its JSON would parse, without writing JSON: half of the
// time of a judgement would otherwise be spent there. Errors hold no values.
func toValue(v reflect.Value) (ast.Value, error) {
	if v.Type() == quantityType {
		return ast.String(v.Addr().Interface().(*resource.Quantity).String()), nil
	}
	if v.Kind() != reflect.Pointer && marshals(v.Type()) {
		return throughJSON(v)
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return ast.NullValue, nil
		}
		return toValue(v.Elem())
	case reflect.Struct:
		terms, err := appendMembers(nil, v)
		if err != nil {
			return nil, err
		}
		return ast.NewObject(terms...), nil
	case reflect.Map:
		return mapValue(v)
	case reflect.Slice:
		return sliceValue(v)
	case reflect.String:
		return ast.InternedValue(v.String()), nil
	case reflect.Bool:
		return ast.InternedValue(v.Bool()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return ast.InternedValue(v.Int()), nil
	}
	return throughJSON(v)
}

// appendMembers adds what a struct holds to terms, embedded structs in place.
func appendMembers(terms [][2]*ast.Term, v reflect.Value) ([][2]*ast.Term, error) {
	list := membersOf(v.Type())
	terms = slices.Grow(terms, len(list))
	for _, m := range list {
		f := v.Field(m.index)
		if m.omitEmpty && empty(f) || m.omitZero && f.IsZero() {
			continue
		}
		if m.inline {
			var err error
			if terms, err = appendMembers(terms, f); err != nil {
				return nil, err
			}
			continue
		}
		value, err := toValue(f)
		if err != nil {
			return nil, err
		}
		terms = append(terms, [2]*ast.Term{m.key, ast.NewTerm(value)})
	}
	return terms, nil
}

// empty is what encoding/json leaves out for omitempty.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Map, reflect.Slice:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

func mapValue(v reflect.Value) (ast.Value, error) {
	if v.IsNil() {
		return ast.NullValue, nil
	}
	terms := make([][2]*ast.Term, 0, v.Len())
	for iter := v.MapRange(); iter.Next(); {
		element := reflect.New(v.Type().Elem()).Elem() // addressable, as toValue wants it
		element.Set(iter.Value())
		value, err := toValue(element)
		if err != nil {
			return nil, err
		}
		terms = append(terms, [2]*ast.Term{ast.InternedTerm(iter.Key().String()), ast.NewTerm(value)})
	}
	return ast.NewObject(terms...), nil
}

func sliceValue(v reflect.Value) (ast.Value, error) {
	switch {
	case v.IsNil():
		return ast.NullValue, nil
	case v.Type().Elem().Kind() == reflect.Uint8:
		return ast.String(base64.StdEncoding.EncodeToString(v.Bytes())), nil
	}
	terms := make([]*ast.Term, v.Len())
	for i := range terms {
		value, err := toValue(v.Index(i))
		if err != nil {
			return nil, err
		}
		terms[i] = ast.NewTerm(value)
	}
	return ast.NewArray(terms...), nil
}

// throughJSON is the slow way, for the few types that write their own JSON.
func throughJSON(v reflect.Value) (ast.Value, error) {
	raw, err := json.Marshal(v.Interface())
	if err != nil {
		return nil, fmt.Errorf("convert %s: no JSON form", v.Type())
	}
	value, err := ast.ValueFromReader(strings.NewReader(string(raw)))
	if err != nil {
		return nil, fmt.Errorf("convert %s: bad JSON form", v.Type())
	}
	return value, nil
}

func marshals(t reflect.Type) bool {
	return t.Implements(marshalerType) || reflect.PointerTo(t).Implements(marshalerType)
}

func membersOf(t reflect.Type) []member {
	if list, ok := members.Load(t); ok {
		return list.([]member)
	}
	var list []member
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" || name == managedFields {
			continue
		}
		m := member{index: i, inline: f.Anonymous && name == ""}
		if name == "" {
			name = f.Name
		}
		m.key = ast.StringTerm(name)
		for option := range strings.SplitSeq(options, ",") {
			m.omitEmpty = m.omitEmpty || option == "omitempty"
			m.omitZero = m.omitZero || option == "omitzero"
		}
		list = append(list, m)
	}
	members.Store(t, list)
	return list
}
