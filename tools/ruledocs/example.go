package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taojob/taojob/pkg/audit"
	"github.com/taojob/taojob/pkg/validate"
)

// example is a manifest and what the review in its first line finds in it.
type example struct {
	Manifest string
	Found    []validate.Violation
}

// plugin is the built kubectl plugin, and where the examples are.
type plugin struct {
	binary, examples string
}

// build makes the plugin in a folder that remove takes away.
func build(ctx context.Context, root string) (p *plugin, remove func(), err error) {
	folder, err := os.MkdirTemp("", "ruledocs-")
	if err != nil {
		return nil, nil, err
	}
	remove = func() { _ = os.RemoveAll(folder) }
	p = &plugin{binary: filepath.Join(folder, "kubectl-tao"), examples: filepath.Join(root, "examples", "rules")}
	c := exec.CommandContext(ctx, "go", "build", "-o", p.binary, "./cmd/kubectl-tao")
	c.Dir = root
	if out, err := c.CombinedOutput(); err != nil {
		remove()
		return nil, nil, fmt.Errorf("build the plugin: %w: %s", err, out)
	}
	return p, remove, nil
}

// page reviews a rule's two examples. That they do not show what they should
// is an error.
func (p *plugin) page(ctx context.Context, rule validate.Rule) (page, error) {
	refused, found, err := p.review(ctx, rule.ID, "refused.yaml")
	if err != nil {
		return page{}, err
	}
	if rules := found.rules(); !slices.Equal(rules, []string{rule.ID}) {
		return page{}, fmt.Errorf("refused.yaml is found by %q, want this rule alone", rules)
	}
	allowed, found, err := p.review(ctx, rule.ID, "allowed.yaml")
	if err != nil {
		return page{}, err
	}
	if rules := found.rules(); len(rules) > 0 {
		return page{}, fmt.Errorf("allowed.yaml is found by %q, want none", rules)
	}
	if found.skips(rule.ID) {
		return page{}, errors.New("allowed.yaml: the rule says that it cannot judge it; give the review what it needs")
	}
	return page{rule, refused, allowed}, nil
}

// review runs the command in the first line of an example, in its folder.
func (p *plugin) review(ctx context.Context, id, name string) (example, *found, error) {
	folder := filepath.Join(p.examples, id)
	manifest, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		return example{}, nil, err
	}
	line, _, _ := strings.Cut(string(manifest), "\n")
	command, ok := strings.CutPrefix(line, "# kubectl tao review ")
	if !ok {
		return example{}, nil, fmt.Errorf("%s: want `# kubectl tao review -f %s …` as its first line", name, name)
	}
	args := append([]string{"review"}, strings.Fields(command)...)
	report, err := p.run(ctx, folder, append(args, "-o", "json")...)
	if err != nil {
		return example{}, nil, fmt.Errorf("%s: %w", name, err)
	}
	f := &found{}
	if err := json.Unmarshal(report, f); err != nil {
		return example{}, nil, fmt.Errorf("%s: read the report: %w", name, err)
	}
	return example{string(manifest), f.violations()}, f, nil
}

// run returns standard output; that a Job is denied is no error.
func (p *plugin) run(ctx context.Context, folder string, args ...string) ([]byte, error) {
	binary, err := filepath.Abs(p.binary)
	if err != nil {
		return nil, err
	}
	var stderr bytes.Buffer
	c := exec.CommandContext(ctx, binary, args...)
	c.Dir, c.Stderr = folder, &stderr
	out, err := c.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == audit.ExitDenied {
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, stderr.String())
	}
	return out, nil
}

// found is what counts here of a report in JSON.
type found struct {
	Items []struct {
		Violations []validate.Violation `json:"violations"`
		Skipped    []validate.Skipped   `json:"skipped"`
	} `json:"items"`
}

func (f *found) violations() []validate.Violation {
	var all []validate.Violation
	for _, item := range f.Items {
		all = append(all, item.Violations...)
	}
	return all
}

// rules returns the ids of the rules with violations, each once and sorted.
func (f *found) rules() []string {
	var ids []string
	for _, v := range f.violations() {
		ids = append(ids, v.Rule)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func (f *found) skips(id string) bool {
	for _, item := range f.Items {
		if slices.ContainsFunc(item.Skipped, func(s validate.Skipped) bool { return s.Rule == id }) {
			return true
		}
	}
	return false
}
