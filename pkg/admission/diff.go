package admission

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
)

// operation is one of a JSON patch (RFC 6902).
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// diff returns the patch that makes from into to, nil when they say the same.
// Both point to structs of one type, and from is what the patched JSON decodes to.
//
// It names what changed and nothing else, so that fields which are newer than
// our types stay where they are. A diff of the JSON, as controller-runtime
// makes it, compares lists by index: a variable put first would hand such a
// field of each entry to the entry before, and change every one of them.
func diff(from, to any) []operation {
	d := &differ{}
	d.object("", reflect.ValueOf(from).Elem(), reflect.ValueOf(to).Elem())
	return d.patch
}

type differ struct{ patch []operation }

// add also replaces the member of an object that is there already.
func (d *differ) add(path string, v reflect.Value) {
	d.patch = append(d.patch, operation{Op: "add", Path: path, Value: v.Interface()})
}

func (d *differ) remove(path string) {
	d.patch = append(d.patch, operation{Op: "remove", Path: path})
}

func (d *differ) object(path string, from, to reflect.Value) {
	for _, m := range membersOf(from.Type()) {
		was, is := from.Field(m.index), to.Field(m.index)
		if m.inline {
			d.object(path, was, is)
			continue
		}
		d.member(path+"/"+m.name, was, is)
	}
}

// member compares two values of one key, each of which may not be there.
func (d *differ) member(path string, from, to reflect.Value) {
	switch absent, gone := from.IsZero() || empty(from), to.IsZero() || empty(to); {
	case absent && gone:
	case gone && omitted(to):
		d.remove(path)
	case absent: // what is in it has no parent yet
		d.add(path, to)
	default:
		d.value(path, from, to)
	}
}

// value compares two values that are both there.
func (d *differ) value(path string, from, to reflect.Value) {
	switch kind := from.Kind(); {
	case kind == reflect.Pointer:
		d.value(path, from.Elem(), to.Elem())
	case kind == reflect.Struct && !opaque(from.Type()):
		d.object(path, from, to)
	case kind == reflect.Map:
		d.entries(path, from, to)
	case kind == reflect.Slice && from.Type().Elem().Kind() != reflect.Uint8:
		d.list(path, from, to)
	case !equality.Semantic.DeepEqual(from.Interface(), to.Interface()):
		d.add(path, to)
	}
}

func (d *differ) entries(path string, from, to reflect.Value) {
	keys := from.MapKeys()
	for _, key := range to.MapKeys() {
		if !from.MapIndex(key).IsValid() {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, key := range keys {
		at, was, is := path+"/"+escape.Replace(key.String()), from.MapIndex(key), to.MapIndex(key)
		switch {
		case !is.IsValid():
			d.remove(at)
		case !was.IsValid():
			d.add(at, is)
		default:
			d.value(at, was, is)
		}
	}
}

// list goes through both lists at once: what stands in to before the next
// entry of from is inserted. next is an index of to, and of the patched list.
func (d *differ) list(path string, from, to reflect.Value) {
	next := 0
	for i := range from.Len() {
		found, same := find(from.Index(i), to, next)
		if found < 0 {
			d.remove(path + "/" + strconv.Itoa(next))
			continue
		}
		for ; next < found; next++ {
			d.add(path+"/"+strconv.Itoa(next), to.Index(next))
		}
		if !same {
			d.value(path+"/"+strconv.Itoa(next), from.Index(i), to.Index(next))
		}
		next++
	}
	for ; next < to.Len(); next++ {
		d.add(path+"/"+strconv.Itoa(next), to.Index(next))
	}
}

// find returns where in list an entry is from start on, or else where one of
// its name is, which is then not the same; -1 for nowhere.
func find(entry, list reflect.Value, start int) (at int, same bool) {
	for i := start; i < list.Len(); i++ {
		if reflect.DeepEqual(entry.Addr().Interface(), list.Index(i).Addr().Interface()) {
			return i, true
		}
	}
	if entry.Kind() != reflect.Struct || !entry.FieldByName("Name").IsValid() {
		return -1, false
	}
	for i := start; i < list.Len(); i++ {
		if entry.FieldByName("Name").Interface() == list.Index(i).FieldByName("Name").Interface() {
			return i, false
		}
	}
	return -1, false
}
