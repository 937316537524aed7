package audit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// canary is a value that no error may hold.
const canary = "kanarienvogel"

func aJob(name string) string {
	return "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: " + name + "\n"
}

// tree writes files into a new folder and returns it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		at := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// found says of each object its line and what it is.
func found(objects []Object) []string {
	var all []string
	for _, o := range objects {
		all = append(all, fmt.Sprintf("%d %s %s", o.Source.Line, o.APIVersion, o.Kind))
	}
	return all
}

func TestReadFindsObjects(t *testing.T) {
	one := aJob("a")
	for name, tc := range map[string]struct {
		in   string
		want []string
	}{
		"nothing in an empty file":                   {"", nil},
		"nothing in a file of comments":              {"# a\n---\n# b\n---\n", nil},
		"a document":                                 {one, []string{"1 batch/v1 Job"}},
		"the line of the object, not of its comment": {"# why\n\n" + one, []string{"3 batch/v1 Job"}},
		"several documents":                          {one + "---\n" + one + "--- # three\n" + one, []string{"1 batch/v1 Job", "6 batch/v1 Job", "11 batch/v1 Job"}},
		"a document that begins beside its marker":   {one + "--- {apiVersion: v1, kind: Pod}\n", []string{"1 batch/v1 Job", "5 v1 Pod"}},
		"documents that are ended, and a directive":  {one + "...\n%YAML 1.1\n---\n" + one, []string{"1 batch/v1 Job", "8 batch/v1 Job"}},
		"a marker within text is none":               {one + "  annotations:\n    x: |\n      ---\n      a\n", []string{"1 batch/v1 Job"}},
		"a byte order mark and Windows line ends":    {"\ufeff" + strings.ReplaceAll(one+"---\n"+one, "\n", "\r\n"), []string{"1 batch/v1 Job", "6 batch/v1 Job"}},
		"JSON": {`{"apiVersion": "batch/v1", "kind": "Job"}`, []string{"1 batch/v1 Job"}},
		"JSON with escapes that YAML does not know":    {`{"apiVersion": "batch\/v1", "kind": "Job", "x": "\ud83d\ude00"}`, []string{"1 batch/v1 Job"}},
		"JSON one after the other":                     {"\n{\"apiVersion\": \"v1\",\n\"kind\": \"Pod\"}\n\n{\"apiVersion\": \"v1\", \"kind\": \"Node\"}", []string{"2 v1 Pod", "5 v1 Node"}},
		"JSON documents between markers":               {"---\n{\"apiVersion\": \"v1\", \"kind\": \"Pod\"}\n---\n{\"apiVersion\": \"v1\", \"kind\": \"Node\"}\n", []string{"2 v1 Pod", "4 v1 Node"}},
		"YAML in braces":                               {"{apiVersion: v1, kind: Pod}", []string{"1 v1 Pod"}},
		"the items of a List, each with its line":      {"apiVersion: v1\nkind: List\nitems:\n- apiVersion: batch/v1\n  kind: Job\n- kind: Pod\n  apiVersion: v1\n", []string{"4 batch/v1 Job", "6 v1 Pod"}},
		"the items of a list of one kind, which it is": {"apiVersion: batch/v1\nkind: JobList\nitems:\n- metadata: {name: a}\n", []string{"4 batch/v1 Job"}},
		"Lists in Lists":                               {"apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items:\n  - {apiVersion: v1, kind: Pod}\n", []string{"7 v1 Pod"}},
		"a JSON List, with lines":                      {"{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [\n{\"apiVersion\": \"v1\", \"kind\": \"Pod\"}]}", []string{"2 v1 Pod"}},
		"an empty List":                                {"apiVersion: v1\nkind: List\nitems: []\n", nil},
		"a kind that only ends like a List":            {"apiVersion: x/v1\nkind: AllowList\n", []string{"1 x/v1 AllowList"}},
		"aliases are followed":                         {"apiVersion: v1\nkind: List\nitems:\n- &p {apiVersion: v1, kind: Pod}\n- *p\n", []string{"4 v1 Pod", "5 v1 Pod"}},
	} {
		t.Run(name, func(t *testing.T) {
			objects, problems := Read([]string{Stdin}, strings.NewReader(tc.in), MaxManifest)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			if diff := cmp.Diff(tc.want, found(objects)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// bomb is a few lines that stand for more than ten to the power of nine strings.
func bomb() string {
	var b strings.Builder
	b.WriteString("apiVersion: batch/v1\nkind: Job\na0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n")
	for n := range 9 {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", n+1, n+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", n), 9), ", "))
	}
	return b.String()
}

func TestReadRefuses(t *testing.T) {
	one := aJob("a")
	for name, tc := range map[string]struct{ in, want string }{
		"broken YAML, by its line":             {one + "spec: [" + canary + "\n", "stdin:5: is not valid YAML: did not find expected ',' or ']'"},
		"broken YAML, by document":             {one + "---\na: b: " + canary + "\n", "stdin:6 (document 2): is not valid YAML: mapping values are not allowed in this context"},
		"tabs":                                 {"a:\n\t" + canary + ": 1\n", "stdin:2: is not valid YAML: found character that cannot start any token"},
		"an alias without anchor":              {"a: *" + canary + "\n", "stdin:1: is not valid YAML: an alias without its anchor"},
		"a key that is none":                   {"{" + canary + ": 1}: 2\n", "stdin:1: is not valid YAML: a key that is no string"},
		"a key that is there twice":            {one + "spec:\n  parallelism: 1\n  parallelism: 2\n", "stdin:7: spec.parallelism: is there twice"},
		"a key that is there twice, in JSON":   {"{\"apiVersion\": \"v1\",\n \"kind\": \"Pod\", \"kind\": \"Pod\"}", "stdin:2: kind: is there twice"},
		"a binary file":                        {"\x7fELF\x00" + canary, "stdin: is a binary file, want YAML or JSON as UTF-8 text"},
		"UTF-16, which PowerShell writes":      {"\xff\xfea\x00:\x00", "stdin: is UTF-16 text, want UTF-8: in Windows PowerShell, pipe to Out-File -Encoding utf8"},
		"text that is not UTF-8":               {"a: \xff" + canary, "stdin: is not UTF-8 text"},
		"a template":                           {"{{- if ." + canary + " }}\n" + one, "stdin:1: is not valid YAML: did not find expected node content; it looks like a template: render it first, as in `helm template CHART | kubectl tao review -f -`"},
		"something else than an object":        {"- " + canary + "\n", "stdin:1: is no Kubernetes object, want apiVersion and kind"},
		"an item that is none":                 {"apiVersion: v1\nkind: List\nitems:\n- a\n- " + canary + "\n", "stdin:4: items[0]: is no Kubernetes object, want apiVersion and kind"},
		"items that are no list":               {"apiVersion: v1\nkind: List\nitems: " + canary + "\n", "stdin:3: items: want a list of objects"},
		"aliases that grow without bounds":     {bomb(), "stdin:1: has aliases that expand to too much"},
		"an anchor within itself":              {one + "spec: &a [*a, " + canary + "]\n", "stdin:1: has aliases that expand to too much"},
		"a large text that is repeated":        {one + "x: &x " + strings.Repeat("x", 1<<20) + "\ny: [" + strings.Repeat("*x, ", 100) + "*x]\n", "stdin:1: has aliases that expand to too much"},
		"a file that is too large":             {"# " + strings.Repeat("x", MaxManifest), "stdin: is larger than 16 MiB"},
		"nesting without end":                  {strings.Repeat("[", 200_000), "stdin:1: is not valid YAML: exceeded max depth of 10000"},
		"a value that YAML cannot take":        {one + "spec: !!float " + canary + "\n", "stdin:1: is not valid YAML"},
		"an object without a version, by name": {"kind: Job\nmetadata: {name: " + canary + "}\n", "stdin:1: is no Kubernetes object, want apiVersion and kind"},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := Read([]string{Stdin}, strings.NewReader(tc.in), MaxManifest)
			if len(problems) == 0 {
				t.Fatal("no problem")
			}
			if got := problems[0].String(); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			if strings.Contains(fmt.Sprint(problems), canary) {
				t.Error("a value of the file is printed")
			}
		})
	}
}

func TestReadFolder(t *testing.T) {
	root := tree(t, map[string]string{
		"b.yaml":              aJob("b"),
		"a/z.yml":             aJob("a"),
		"a/state.json":        `{"apiVersion": "v1", "kind": "Node"}`,
		"a/readme.txt":        "a: [",
		".git/x.yaml":         "a: [",
		"values.yaml":         "image: {tag: 1}\n1: 2\nkey: twice\nkey: twice\n",
		"mkdocs.yml":          "a: !!python/name:x.y\n",
		"broken.yaml":         "a: [",
		"c/.hidden-file.yaml": aJob("hidden"),
	})
	if err := os.Symlink(filepath.Join(root, "b.yaml"), filepath.Join(root, "link.yaml")); err != nil {
		t.Fatal(err)
	}
	objects, problems := Read([]string{root}, nil, MaxManifest)
	var files []string
	for _, o := range objects {
		file, err := filepath.Rel(root, o.Source.File)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	want := []string{"a/state.json", "a/z.yml", "b.yaml", "c/.hidden-file.yaml", "link.yaml"}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Error(diff)
	}
	if len(problems) != 1 || !strings.HasSuffix(problems[0].File, "broken.yaml") {
		t.Errorf("problems %v, want the broken file only", problems)
	}
}

func TestReadFollowsALinkThatIsNamed(t *testing.T) {
	root := tree(t, map[string]string{"jobs/a.yaml": aJob("a")})
	link := filepath.Join(root, "link")
	if err := os.Symlink(filepath.Join(root, "jobs"), link); err != nil {
		t.Fatal(err)
	}
	objects, problems := Read([]string{link}, nil, MaxManifest)
	if len(objects) != 1 || objects[0].Source.File != filepath.Join(link, "a.yaml") {
		t.Error(objects, problems)
	}
}

func TestReadNamesWhatIsNotThere(t *testing.T) {
	_, problems := Read([]string{"nowhere.yaml"}, nil, MaxManifest)
	want := []Problem{{File: "nowhere.yaml", Message: "no such file or directory"}}
	if diff := cmp.Diff(want, problems); diff != "" {
		t.Error(diff)
	}
}

// FuzzRead looks for input that the reader does not survive, and for lines and
// objects that cannot be.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		aJob("a"), bomb(), "{}", "{{", "---\n...\n---", "\ufeffa: b\r\n", `{"kind":"List","apiVersion":"v1","items":[{}]}`,
		"a: &a [*a]", "<<: *a", "? [a]\n: b", "- !!binary x", "a: |\n ---\n", "%YAML 1.1\n---\na: 1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		objects, problems := Read([]string{Stdin}, strings.NewReader(text), MaxManifest)
		last := 1 // as YAML counts lines
		for _, end := range []string{"\n", "\r", "\u0085", "\u2028", "\u2029"} {
			last += strings.Count(text, end)
		}
		for _, o := range objects {
			if o.Source.Line < 1 || o.Source.Line > last || o.Kind == "" || o.APIVersion == "" {
				t.Errorf("line %d of %d, %s %s", o.Source.Line, last, o.APIVersion, o.Kind)
			}
			if _, problem := decode(o); problem != nil {
				problems = append(problems, *problem)
			}
		}
		for _, p := range problems {
			if p.Line < 0 || p.Line > last+1 || p.Message == "" {
				t.Errorf("line %d of %d: %s", p.Line, last, p.Message)
			}
		}
	})
}
