package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
	sigsjson "sigs.k8s.io/json"
	sigsyaml "sigs.k8s.io/yaml"
)

// decode reads the one YAML document in raw, in which every field must be
// known and stand once. The errors begin with the line, if they have one.
func decode(raw []byte, into *Config) error {
	var root, second yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(raw))
	if err := d.Decode(&root); err != nil && !errors.Is(err, io.EOF) {
		return plain(err)
	}
	if err := d.Decode(&second); !errors.Is(err, io.EOF) {
		return errors.New("want one YAML document, found more")
	}
	asJSON, err := sigsyaml.YAMLToJSONStrict(raw)
	if err != nil {
		return plain(err)
	}
	unknown, err := sigsjson.UnmarshalStrict(asJSON, into, sigsjson.DisallowUnknownFields)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		what := fmt.Sprintf("want %s, found %s", kind(wrong), wrong.Value)
		if wrong.Value == "bool" { // as YAML takes a bare off
			what += "; put it into quotes if a word such as \"off\" is meant"
		}
		return at(&root, wrong.Field, errors.New(strings.TrimPrefix(wrong.Field+": "+what, ": ")))
	}
	if err != nil {
		return plain(err)
	}
	if len(unknown) > 0 {
		field := ""
		if f, ok := errors.AsType[sigsjson.FieldError](unknown[0]); ok {
			field = f.FieldPath()
		}
		return at(&root, field, unknown[0])
	}
	return nil
}

func kind(e *json.UnmarshalTypeError) string {
	switch e.Type.Kind() {
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "a list"
	default:
		return e.Type.String()
	}
}

// at puts the line of the field at a dotted path before an error.
func at(root *yaml.Node, field string, err error) error {
	n, line := root, 0
	for _, key := range strings.Split("."+field, ".") {
		if n = below(n, key); n == nil {
			break
		}
		line = n.Line
	}
	if line == 0 {
		return err
	}
	return fmt.Errorf("line %d: %w", line, err)
}

// below returns the value of a key, nil when it is not there; for an empty key
// that of the document.
func below(n *yaml.Node, key string) *yaml.Node {
	if n.Kind == yaml.DocumentNode && key == "" {
		return n.Content[0]
	}
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// plain takes the decoders' names out of an error: what is left is for people.
func plain(err error) error {
	text := err.Error()
	for _, noise := range []string{"error converting YAML to JSON: ", "yaml: ", "json: ", "unmarshal errors:\n  "} {
		text = strings.ReplaceAll(text, noise, "")
	}
	return errors.New(text)
}
