package reload

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// write puts a file into a folder, and makes that.
func write(t *testing.T, dir, name, content string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// turn lets a mounted folder show another version of itself, as the kubelet does.
func turn(t *testing.T, dir, version string) {
	t.Helper()
	next := filepath.Join(dir, "..next")
	if err := os.Symlink(version, next); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, filepath.Join(dir, "..data")); err != nil {
		t.Fatal(err)
	}
}

func TestLook(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(t *testing.T, dir string)
		seen   bool
	}{
		"a file changes":                         {func(t *testing.T, dir string) { write(t, dir, "b", "3") }, true},
		"one of the same length does":            {func(t *testing.T, dir string) { write(t, dir, "b", "1") }, true},
		"a file comes":                           {func(t *testing.T, dir string) { write(t, dir, "c", "") }, true},
		"one further down comes":                 {func(t *testing.T, dir string) { write(t, dir+"/data", "c", "") }, true},
		"a file goes":                            {func(_ *testing.T, dir string) { _ = os.Remove(dir + "/b") }, true},
		"a file takes another name":              {func(_ *testing.T, dir string) { _ = os.Rename(dir+"/b", dir+"/c") }, true},
		"the folder goes":                        {func(_ *testing.T, dir string) { _ = os.RemoveAll(dir) }, true},
		"the link above the files turns":         {func(t *testing.T, dir string) { turn(t, dir, "..two") }, true},
		"it turns to the same":                   {func(t *testing.T, dir string) { turn(t, dir, "..same") }, false},
		"a file is written again as it is":       {func(t *testing.T, dir string) { write(t, dir, "b", "2") }, false},
		"the kubelet's own folders change":       {func(t *testing.T, dir string) { write(t, dir+"/..two", "a", "5") }, false},
		"an editor's file that is hidden is not": {func(t *testing.T, dir string) { write(t, dir, ".b.swp", "x") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "mounted")
			write(t, dir+"/..one", "a", "1")
			write(t, dir+"/..same", "a", "1")
			write(t, dir+"/..two", "a", "2")
			write(t, dir, "b", "2")
			turn(t, dir, "..one")
			if err := os.Symlink("..data/a", filepath.Join(dir, "a")); err != nil {
				t.Fatal(err)
			}
			before := look([]string{dir})
			tc.change(t, dir)
			if seen := look([]string{dir}) != before; seen != tc.seen {
				t.Errorf("it was seen: %t", seen)
			}
		})
	}
}

func TestFollow(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	reads := 0
	var meanwhile func() // something that happens while the file is read
	read := func(context.Context) (string, error) {
		reads++
		text, err := os.ReadFile(file)
		if meanwhile != nil {
			meanwhile()
			meanwhile = nil
		}
		if strings.HasPrefix(string(text), "bad") {
			return "", errors.New("file:1: it is bad")
		}
		return string(text), err
	}
	var told []string
	opts := Options{Paths: []string{file}, Failed: func(_ context.Context, err error) { told = append(told, err.Error()) }}
	if _, err := New(t.Context(), opts, read); err == nil {
		t.Error("a missing file was usable at first")
	}
	write(t, dir, "file", "one")
	f, err := New(t.Context(), opts, read)
	if err != nil {
		t.Fatal(err)
	}
	reads = 0
	failures := testutil.ToFloat64(reloads.WithLabelValues("failure"))
	for _, step := range []struct {
		does  string
		do    func()
		use   string
		reads int
		told  int
		gauge float64
	}{
		{"nothing happens", func() {}, "one", 0, 0, 1},
		{"a good change is used", func() { write(t, dir, "file", "two") }, "two", 1, 0, 1},
		{"a bad one is not", func() { write(t, dir, "file", "bad") }, "two", 2, 1, 0},
		{"and is told once", func() {}, "two", 2, 1, 0},
		{"another bad one is told as well", func() { write(t, dir, "file", "bad too") }, "two", 3, 2, 0},
		{"a file that goes leaves what it was", func() { _ = os.Remove(file) }, "two", 4, 3, 0},
		{"what was used before is good again", func() { write(t, dir, "file", "two") }, "two", 5, 3, 1},
		{"what changes while it is read is not used", func() {
			write(t, dir, "file", "three")
			meanwhile = func() { write(t, dir, "file", "four") }
		}, "two", 6, 3, 1},
		{"but the next time", func() {}, "four", 7, 3, 1},
	} {
		step.do()
		f.follow(t.Context())
		if got := f.Get(); got != step.use {
			t.Errorf("%s: %q is in use, want %q", step.does, got, step.use)
		}
		if reads != step.reads || len(told) != step.told {
			t.Errorf("%s: read %d times, want %d; told %v", step.does, reads, step.reads, told)
		}
		if got := testutil.ToFloat64(lastSuccessful); got != step.gauge {
			t.Errorf("%s: the gauge is %f", step.does, got)
		}
	}
	if got := testutil.ToFloat64(reloads.WithLabelValues("failure")) - failures; got != 3 {
		t.Errorf("%f failures were counted", got)
	}
	if diff := cmp.Diff("take a change into use: file:1: it is bad", told[0]); diff != "" {
		t.Error(diff)
	}
}

func TestFollowingEndsWithItsContext(t *testing.T) {
	f, err := New(t.Context(), Options{Every: time.Millisecond}, func(context.Context) (int, error) { return 1, nil })
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- f.Start(ctx) }()
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestReport(t *testing.T) {
	c := fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).Build()
	if Report(c, Pod{Name: "webhook-1"}) != nil || Report(c, Pod{Namespace: "tao"}) != nil {
		t.Error("a pod is known that is not")
	}
	long := strings.Repeat("ä", 1000)
	Report(c, Pod{Namespace: "tao", Name: "webhook-1", UID: "u"})(t.Context(), errors.New("config.yaml:3: "+long))
	var all eventsv1.EventList
	if err := c.List(t.Context(), &all); err != nil || len(all.Items) != 1 {
		t.Fatalf("%d Events: %v", len(all.Items), err)
	}
	got := all.Items[0]
	if !strings.HasPrefix(got.Name, "webhook-1.") || len(got.Note) > maxNote || !strings.HasPrefix(got.Note, "What was in use before stays: config.yaml:3: ää") {
		t.Errorf("the Event %s says %s", got.Name, got.Note)
	}
	want := eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: "tao", Name: got.Name, ResourceVersion: got.ResourceVersion},
		EventTime:  got.EventTime, Note: got.Note,
		ReportingController: controllerName, ReportingInstance: "webhook-1",
		Type: corev1.EventTypeWarning, Reason: "ConfigNotUsable", Action: "Reload",
		Regarding: corev1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: "tao", Name: "webhook-1", UID: types.UID("u")},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
