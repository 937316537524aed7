package validate

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
	"k8s.io/apimachinery/pkg/api/resource"
)

// toValue returns the value that v points to as its JSON would parse. Going
// through JSON itself would take longer than all rules together. Errors hold
// no values.
func toValue(v any) (ast.Value, error) {
	p := reflect.ValueOf(v)
	return converterOf(p.Type().Elem())(p.Elem())
}

// converter turns an addressable value of one type into a term's value.
type converter func(reflect.Value) (ast.Value, error)

// converters caches by type what to do with it: reflect.Type to converter.
var converters sync.Map

var (
	quantityType  = reflect.TypeFor[resource.Quantity]()
	marshalerType = reflect.TypeFor[json.Marshaler]()
)

func converterOf(t reflect.Type) converter {
	if known, ok := converters.Load(t); ok {
		return known.(converter)
	}
	var built sync.WaitGroup
	var made converter
	built.Add(1)
	// What others, or a type that holds itself, find until it is made.
	known, there := converters.LoadOrStore(t, converter(func(v reflect.Value) (ast.Value, error) {
		built.Wait()
		return made(v)
	}))
	if there {
		return known.(converter)
	}
	made = makeConverter(t)
	built.Done()
	converters.Store(t, made)
	return made
}

func makeConverter(t reflect.Type) converter {
	switch kind := t.Kind(); {
	case t == quantityType:
		return quantityValue
	case kind == reflect.Pointer:
		return pointerConverter(t)
	case t.Implements(marshalerType), reflect.PointerTo(t).Implements(marshalerType):
		return throughJSON
	case kind == reflect.Struct:
		return structConverter(t)
	case kind == reflect.Map && t.Key().Kind() == reflect.String:
		return mapConverter(t)
	case kind == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return bytesValue
	case kind == reflect.Slice:
		return sliceConverter(t)
	case kind == reflect.String:
		return func(v reflect.Value) (ast.Value, error) { return ast.InternedValue(v.String()), nil }
	case kind == reflect.Bool:
		return func(v reflect.Value) (ast.Value, error) { return ast.InternedValue(v.Bool()), nil }
	case kind >= reflect.Int && kind <= reflect.Int64:
		return func(v reflect.Value) (ast.Value, error) { return ast.InternedValue(v.Int()), nil }
	}
	return throughJSON
}

func quantityValue(v reflect.Value) (ast.Value, error) {
	return ast.String(v.Addr().Interface().(*resource.Quantity).String()), nil
}

func pointerConverter(t reflect.Type) converter {
	element := converterOf(t.Elem())
	return func(v reflect.Value) (ast.Value, error) {
		if v.IsNil() {
			return ast.NullValue, nil
		}
		return element(v.Elem())
	}
}

func mapConverter(t reflect.Type) converter {
	element := converterOf(t.Elem())
	return func(v reflect.Value) (ast.Value, error) {
		if v.IsNil() {
			return ast.NullValue, nil
		}
		pairs := make([][2]*ast.Term, 0, v.Len())
		for iter := v.MapRange(); iter.Next(); {
			held := reflect.New(t.Elem()).Elem() // addressable
			held.Set(iter.Value())
			value, err := element(held)
			if err != nil {
				return nil, err
			}
			pairs = append(pairs, [2]*ast.Term{ast.InternedTerm(iter.Key().String()), ast.NewTerm(value)})
		}
		return ast.NewObject(pairs...), nil
	}
}

func bytesValue(v reflect.Value) (ast.Value, error) {
	if v.IsNil() {
		return ast.NullValue, nil
	}
	return ast.String(base64.StdEncoding.EncodeToString(v.Bytes())), nil
}

func sliceConverter(t reflect.Type) converter {
	element := converterOf(t.Elem())
	return func(v reflect.Value) (ast.Value, error) {
		if v.IsNil() {
			return ast.NullValue, nil
		}
		block := make([]ast.Term, v.Len()) // one allocation for all
		terms := make([]*ast.Term, v.Len())
		for i := range terms {
			value, err := element(v.Index(i))
			if err != nil {
				return nil, err
			}
			block[i].Value = value
			terms[i] = &block[i]
		}
		return ast.NewArray(terms...), nil
	}
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
