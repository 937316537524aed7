package audit

import (
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"
	sigsjson "sigs.k8s.io/json"
)

// Object is a Kubernetes object as it was read.
type Object struct {
	Source     Source
	APIVersion string
	Kind       string
	// JSON is the object as JSON, with all that its author wrote.
	JSON []byte

	// live is the *batchv1.Job or *batchv1.CronJob of a cluster, instead of JSON.
	live any
	root *yaml.Node // nil when there is none
	line int        // what root's lines are counted from
	// document is as in Problem.
	document int
}

// problem is about the field at a path of the object.
func (o *Object) problem(at path, message string) Problem {
	p := Problem{File: o.Source.File, Line: o.Source.Line, Document: o.document, Message: message}
	n := o.root
	for _, s := range at {
		if n = child(n, s); n == nil {
			return p
		}
		p.Line = o.line + n.Line - 1
	}
	return p
}

// keyNode is where a key stands in what is at a path; nil when that is not known.
func (o *Object) keyNode(at path, key string) *yaml.Node {
	n := o.root
	for _, s := range at {
		n = child(n, s)
	}
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	for i := 0; n != nil && n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i]
		}
	}
	return nil
}

// expand adds the object in d, or the items of the List in it.
func (r *reader) expand(d *document) {
	if string(d.json) == "null" { // nothing but comments
		return
	}
	o := Object{JSON: d.json, root: d.root, line: d.line, document: d.number}
	o.Source = Source{File: d.file, Line: d.line}
	if d.root != nil {
		o.Source.Line = d.line + d.root.Line - 1
	}
	if !r.add(o, "", "") && !d.found {
		r.fail(*d.problem("is no Kubernetes object, want apiVersion and kind"))
	}
}

// head is what every object has, and a List.
type head struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Items      []json.RawMessage `json:"items"`
}

// add adds o or its items; false when it is no Kubernetes object. The defaults
// are those of the List it is an item of.
func (r *reader) add(o Object, apiVersion, kind string) bool {
	var h head
	err := sigsjson.UnmarshalCaseSensitivePreserveInts(o.JSON, &h) // as the cluster reads them
	if h.APIVersion == "" {
		h.APIVersion = apiVersion
	}
	if h.Kind == "" {
		h.Kind = kind
	}
	if h.APIVersion == "" || h.Kind == "" {
		return false
	}
	if kind, isList := strings.CutSuffix(h.Kind, "List"); isList && (err != nil || h.Items != nil) {
		if err != nil {
			r.fail(o.problem(path{}.key("items"), "items: want a list of objects"))
			return true
		}
		r.items(o, h, kind)
		return true
	}
	o.APIVersion, o.Kind = h.APIVersion, h.Kind
	r.objects = append(r.objects, o)
	return true
}

func (r *reader) items(list Object, h head, kind string) {
	nodes := child(list.root, step{key: "items"})
	version := h.APIVersion
	if kind == "" {
		version = "" // the List's own, v1, is not its items'
	}
	for i, raw := range h.Items {
		o := list
		o.JSON = raw
		if o.root = child(nodes, step{index: i, isIndex: true}); o.root != nil {
			o.Source.Line = o.line + o.root.Line - 1
		}
		if !r.add(o, version, kind) {
			r.fail(o.problem(nil, path{}.key("items").index(i).String()+": is no Kubernetes object, want apiVersion and kind"))
		}
	}
}
