package validate

import (
	"reflect"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// managedFields is the server's book-keeping: no rule needs it and it is
// often larger than the rest of the object.
const managedFields = "managedFields"

// member is how one field of a Go struct appears in JSON.
type member struct {
	key     *ast.Term
	index   []int
	convert converter
	// leftOut tells whether a value does not appear at all.
	leftOut func(reflect.Value) bool
}

func structConverter(t reflect.Type) converter {
	members := membersOf(t, nil)
	return func(v reflect.Value) (ast.Value, error) {
		block := make([]ast.Term, 0, len(members)) // never grows, so that pointers into it stay
		pairs := make([][2]*ast.Term, 0, len(members))
		for i := range members {
			m := &members[i]
			f := v.FieldByIndex(m.index)
			if m.leftOut(f) {
				continue
			}
			value, err := m.convert(f)
			if err != nil {
				return nil, err
			}
			block = append(block, ast.Term{Value: value})
			pairs = append(pairs, [2]*ast.Term{m.key, &block[len(block)-1]})
		}
		return ast.NewObject(pairs...), nil
	}
}

// membersOf lists the members of t, those of embedded structs in their place.
func membersOf(t reflect.Type, below []int) []member {
	var list []member
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		index := append(below[:len(below):len(below)], i)
		switch {
		case !f.IsExported(), name == "-", name == managedFields:
			continue
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			list = append(list, membersOf(f.Type, index)...)
			continue
		case name == "":
			name = f.Name
		}
		list = append(list, member{
			key: ast.StringTerm(name), index: index, convert: converterOf(f.Type), leftOut: leftOut(f.Type, options),
		})
	}
	return list
}

// leftOut is encoding/json's omitempty and omitzero.
func leftOut(t reflect.Type, options string) func(reflect.Value) bool {
	kind := t.Kind()
	for option := range strings.SplitSeq(options, ",") {
		switch {
		case option == "omitempty" && (kind == reflect.Map || kind == reflect.Slice):
			return func(v reflect.Value) bool { return v.Len() == 0 }
		case option == "omitempty" && kind != reflect.Struct, option == "omitzero":
			return reflect.Value.IsZero
		}
	}
	return func(reflect.Value) bool { return false }
}
