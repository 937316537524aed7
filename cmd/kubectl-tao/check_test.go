package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// check compares a report with what is expected of it.
type check struct {
	t    *testing.T
	want expect
	item map[string]any
}

var token = regexp.MustCompile(`\[([^\]=]+)=([^\]]*)\]|\[(\d+)\]|([^.\[\]]+)`)

// at returns what stands at a path with [n] and [key=value] steps, nil for nothing.
func at(value any, path string) any {
	for _, m := range token.FindAllStringSubmatch(path, -1) {
		list, _ := value.([]any)
		object, _ := value.(map[string]any)
		value = nil
		n, _ := strconv.Atoi(m[3])
		switch {
		case m[1] != "":
			value = named(list, m[1], m[2])
		case m[3] != "" && n < len(list):
			value = list[n]
		case m[4] != "":
			value = object[m[4]]
		}
	}
	return value
}

// named returns the object of a list that has a value at key, nil for none.
func named(list []any, key, want string) any {
	for _, element := range list {
		if object, ok := element.(map[string]any); ok && fmt.Sprint(object[key]) == want {
			return object
		}
	}
	return nil
}

func list(value any, path string) []any {
	found, _ := at(value, path).([]any)
	return found
}

func (c *check) same(what string, got, want any) {
	c.t.Helper()
	if !reflect.DeepEqual(got, want) {
		c.t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func (c *check) secrets(printed string) {
	c.t.Helper()
	for n, secret := range c.want.MustNotPrint {
		if strings.Contains(printed, secret) {
			c.t.Errorf("secret %d is printed", n)
		}
	}
}

func (c *check) report(stdout string) {
	c.t.Helper()
	var report map[string]any
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		c.t.Fatal(err)
	}
	c.item, _ = at(report, "items[0]").(map[string]any)
	if c.item == nil {
		c.t.Fatal("no item")
	}
	selected := true
	if c.want.Selected != nil {
		selected = *c.want.Selected
	}
	c.same("selected", c.item["selected"], selected)
	if c.want.Allowed != nil {
		c.same("allowed", c.item["allowed"], *c.want.Allowed)
	}
	for _, pair := range c.want.JQ {
		c.same(pair[0].(string), at(c.item, pair[0].(string)), pair[1])
	}
	c.violations()
	c.injected()
	c.service()
}

func (c *check) violations() {
	c.t.Helper()
	var found, paths []string
	for _, v := range list(c.item, "violations") {
		for _, key := range []string{"rule", "action", "path", "message", "fix"} {
			if text, _ := at(v, key).(string); text == "" {
				c.t.Errorf("a violation has no %s", key)
			}
		}
		found = append(found, fmt.Sprintf("%v %v", at(v, "action"), at(v, "rule")))
		paths = append(paths, fmt.Sprint(at(v, "path")))
	}
	for action, rules := range map[string][]string{"deny": c.want.Rules, "warn": c.want.WarnRules} {
		for _, rule := range rules {
			if !slices.Contains(found, action+" "+rule) {
				c.t.Errorf("no %s by %s, only %q", action, rule, found)
			}
		}
	}
	for _, rule := range c.want.AbsentRules {
		if slices.Contains(found, "deny "+rule) || slices.Contains(found, "warn "+rule) {
			c.t.Errorf("%s must not fire, but does at %q", rule, paths)
		}
	}
	for _, part := range c.want.Paths {
		if !slices.ContainsFunc(paths, func(p string) bool { return strings.Contains(p, part) }) {
			c.t.Errorf("no violation at %s, only at %q", part, paths)
		}
	}
}

func (c *check) injected() {
	c.t.Helper()
	mutated := c.item["mutated"]
	pod := at(mutated, "spec.template.spec")
	c.structure(pod)
	for path, want := range c.want.Spec {
		c.same(path, at(mutated, path), want)
	}
	for name, env := range c.want.Env {
		for key, want := range env {
			got := at(pod, "containers[name="+name+"].env[name="+key+"]")
			switch want := want.(type) {
			case map[string]any:
				c.same(key, at(got, "valueFrom.fieldRef.fieldPath"), want["fieldPath"])
			case string:
				c.same(key, at(got, "value"), want)
			default:
				c.same(key, got, nil)
			}
		}
	}
	for name, want := range c.want.EnvFrom {
		var got []string
		for _, source := range list(pod, "containers[name="+name+"].envFrom") {
			got = append(got, fmt.Sprint(at(source, "secretRef.name")))
		}
		c.same("envFrom of "+name, got, want)
	}
	for name, mounts := range c.want.Mounts {
		for path, want := range mounts {
			c.same(path, at(pod, "containers[name="+name+"].volumeMounts[mountPath="+path+"].name"), want)
		}
	}
	for path, want := range c.want.VolumesMemory {
		volume := at(pod, "containers[0].volumeMounts[mountPath="+path+"].name")
		directory := at(pod, fmt.Sprintf("volumes[name=%v].emptyDir", volume))
		c.same(path, directory, map[string]any{"medium": "Memory", "sizeLimit": want})
	}
	if c.want.VolumeCount != nil {
		c.same("volume count", len(list(pod, "volumes")), *c.want.VolumeCount)
	}
}

// structure is what the API server or the kubelet would trip over.
func (c *check) structure(pod any) {
	c.t.Helper()
	c.unique("volumes", list(pod, "volumes"), "name")
	for _, container := range list(pod, "containers") {
		c.unique("env", list(container, "env"), "name")
		c.unique("volumeMounts", list(container, "volumeMounts"), "mountPath")
		for _, mount := range list(container, "volumeMounts") {
			if named(list(pod, "volumes"), "name", fmt.Sprint(at(mount, "name"))) == nil {
				c.t.Errorf("a mount of volume %v, which is not there", at(mount, "name"))
			}
		}
	}
}

func (c *check) unique(what string, objects []any, key string) {
	c.t.Helper()
	seen := map[any]bool{}
	for _, o := range objects {
		if seen[at(o, key)] {
			c.t.Errorf("%s: %v is there twice", what, at(o, key))
		}
		seen[at(o, key)] = true
	}
}

func (c *check) service() {
	c.t.Helper()
	got := c.item["service"]
	var want map[string]any
	if c.want.Service != nil {
		if err := json.Unmarshal(c.want.Service, &want); err != nil {
			c.t.Fatal(err)
		}
		c.same("a Service", got != nil, want != nil)
	}
	for path, value := range want {
		c.same("service "+path, at(got, path), value)
	}
	if c.want.ServiceSelects != "" {
		c.same("the Service's selector", at(got, "spec.selector"), map[string]any{"job-name": c.want.ServiceSelects})
	}
}
