package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
)

// checkout is where the Dockerfile is.
const checkout = "../.."

// dockerfile reads the Dockerfile as BuildKit does, which must find nothing to
// say of it.
func dockerfile(t *testing.T) []instructions.Stage {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(checkout, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	tree, err := parser.Parse(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range tree.Warnings {
		t.Errorf("the parser warns: %s", w.Short)
	}
	stages, _, err := instructions.Parse(tree.AST, linter.New(&linter.Config{
		Warn: func(rule, _, _, message string, _ []parser.Range) {
			t.Errorf("the linter warns: %s: %s", rule, message)
		},
	}))
	if err != nil {
		t.Fatal(err)
	}
	return stages
}

func TestTheDockerfileEndsInAnImageLikeOurs(t *testing.T) {
	stages := dockerfile(t)
	type view struct {
		Users, Entrypoint, Labels []string
	}
	var got view
	for _, command := range stages[len(stages)-1].Commands {
		switch c := command.(type) {
		case *instructions.UserCommand:
			got.Users = append(got.Users, c.User)
		case *instructions.EntrypointCommand:
			if c.PrependShell {
				t.Error("the entrypoint needs a shell, and there is none")
			}
			got.Entrypoint = c.CmdLine
		case *instructions.LabelCommand:
			for _, l := range c.Labels {
				got.Labels = append(got.Labels, l.Key)
			}
		}
	}
	labels := hello().labels(origin{revision: "1"})
	delete(labels, "org.opencontainers.image.created") // BuildKit keeps the time elsewhere
	want := view{[]string{user}, []string{"/command"}, slices.Sorted(maps.Keys(labels))}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTheDockerfileCompilesTheSameProgram(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	o := hello()
	o.root, o.main = copied(t), "./cmd/hello"
	index, err := o.build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, content := inside(t, only(t, index))
	var compile string
	for _, command := range dockerfile(t)[0].Commands {
		if run, ok := command.(*instructions.RunCommand); ok {
			compile = strings.Join(run.CmdLine, " ") // the last one
		}
	}
	out := filepath.Join(t.TempDir(), "command")
	_, arch, _ := strings.Cut(o.platforms[0], "/")
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", strings.Replace(compile, "/out/command", out, 1))
	cmd.Dir = copied(t)
	cmd.Env = append(os.Environ(), "COMMAND=hello", "VERSION=v1", "TARGETOS=linux", "TARGETARCH="+arch)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", compile, err, said)
	}
	program, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if string(program) != content["ko-app/hello"] {
		t.Errorf("the Dockerfile's %s makes another program than the image's", compile)
	}
}

// compiled lists the files that the programs are made of, relative to the checkout.
func compiled(t *testing.T) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=Dir,Standard,Module,GoFiles,EmbedFiles", "./cmd/...")
	cmd.Dir = checkout
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	files := []string{"go.mod", "go.sum"}
	root, err := filepath.Abs(checkout)
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Dir                 string
			Module              *struct{ Main bool }
			GoFiles, EmbedFiles []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return files
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Module == nil || !p.Module.Main {
			continue
		}
		for _, name := range slices.Concat(p.GoFiles, p.EmbedFiles) {
			file, err := filepath.Rel(root, filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
	}
}

func TestWhatTheDockerfileIsGiven(t *testing.T) {
	in, err := os.Open(filepath.Join(checkout, ".dockerignore"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	patterns, err := ignorefile.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	ignored, err := patternmatcher.New(patterns)
	if err != nil {
		t.Fatal(err)
	}
	for state, files := range map[bool][]string{
		false: compiled(t),
		true:  {".git/config", "bin/webhook-image.tar", "e2e/go.mod", "tools/image/main.go", "README.md", "Dockerfile"},
	} {
		for _, file := range files {
			got, err := ignored.MatchesOrParentMatches(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != state {
				t.Errorf("%s is ignored: %v, want %v", file, got, state)
			}
		}
	}
}
