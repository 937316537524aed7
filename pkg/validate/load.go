package validate

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/loader"
)

// sources are parsed policies and their data.
type sources struct {
	modules map[string]*ast.Module
	data    map[string]any
}

// load reads every *.rego, *.json and *.yaml of fsys as `opa eval -d` does:
// data files are placed by their directory. Tests and whatever begins with a
// dot, such as the bookkeeping of a mounted ConfigMap, are passed over. name,
// if not empty, precedes the file names.
func (s *sources) load(name string, fsys fs.FS, capabilities *ast.Capabilities) error {
	found, err := loader.NewFileLoader().
		WithFS(fsys).
		WithProcessAnnotation(true).
		WithRegoVersion(ast.RegoV1).
		WithCapabilities(capabilities).
		Filtered([]string{"."}, passOver)
	if err != nil {
		return fmt.Errorf("load policies%s: %w", of(name), err)
	}
	for file, module := range found.Modules {
		at := path.Join(name, file)
		if _, there := s.modules[at]; there {
			return fmt.Errorf("load policies%s: file %s is there twice", of(name), at)
		}
		relocate(module.Parsed, at)
		s.modules[at] = module.Parsed
	}
	if err := merge(s.data, found.Documents, "data"); err != nil {
		return fmt.Errorf("load policies%s: %w", of(name), err)
	}
	return nil
}

func passOver(at string, info fs.FileInfo, _ int) bool {
	base := path.Base(at)
	return strings.HasPrefix(base, ".") && base != "." || !info.IsDir() && strings.HasSuffix(base, "_test.rego")
}

func of(name string) string {
	if name == "" {
		return ""
	}
	return " of " + name
}

// relocate makes errors name the file as we know it.
func relocate(m *ast.Module, file string) {
	ast.WalkNodes(m, func(n ast.Node) bool {
		if loc := n.Loc(); loc != nil {
			loc.File = file
		}
		return false
	})
	for _, a := range m.Annotations {
		a.Location.File = file
	}
}

var errTwice = errors.New("two data files give it a value")

// merge adds documents to data in place; a value given twice is an error.
func merge(data, more map[string]any, at string) error {
	for key, value := range more {
		old, there := data[key]
		if !there {
			data[key] = value
			continue
		}
		a, isMap := old.(map[string]any)
		b, alsoMap := value.(map[string]any)
		if !isMap || !alsoMap {
			return fmt.Errorf("%s.%s: %w", at, key, errTwice)
		}
		if err := merge(a, b, at+"."+key); err != nil {
			return err
		}
	}
	return nil
}

// capabilities are what policies may call: nothing that reaches out of the
// judgement or gives another answer the second time. print is compiled away.
func capabilities() *ast.Capabilities {
	c := ast.CapabilitiesForThisVersion()
	c.AllowNet = []string{}
	c.Builtins = slices.DeleteFunc(slices.Clone(c.Builtins), func(b *ast.Builtin) bool {
		return b.Nondeterministic || b.Name == "opa.runtime" || b.Name == "rego.parse_module"
	})
	return c
}
