package suite

import (
	"os"
	"path/filepath"
	"testing"
)

func TestKustomize(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	dir := t.TempDir()
	job := manifest("run")
	if !old() {
		job = manifest("run", nodes("2"), gpus(8))
	}
	for name, content := range map[string]string{
		"kustomization.yaml": "namePrefix: team-\nresources: [job.yaml]\n",
		"job.yaml":           job,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	built := s.run("", kustomizeBinary, "build", dir)
	if built.err != nil {
		t.Fatal(built.out)
	}
	for range 2 { // the second time there is nothing to do
		s.apply(built.out)
		j := s.job("team-run")
		checkInjected(t, j, "tao-creds-team-run")
		if old() {
			checkEnv(t, container(j), oneNode("team-run", 1))
			continue
		}
		checkEnv(t, container(j), twoNodes("team-run", 8))
		checkRendezvous(t, s.service("team-run", isThere), j)
	}
}

func TestHelm(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	helm := func(args ...string) {
		t.Helper()
		r := s.run("", helmBinary, args...)
		if r.err != nil {
			t.Fatalf("helm %v: %s", args, r.out)
		}
	}
	count := "2"
	if old() {
		count = "1"
	}
	chart := []string{"../testdata/chart", "--set", "nodes=" + count}
	helm(append([]string{"install", "run"}, chart...)...)
	was := s.job("run")
	checkInjected(t, was, "tao-creds-run")
	helm(append([]string{"upgrade", "run"}, chart...)...)
	s.kept(was)
	helm(append([]string{"upgrade", "run", "--set", "team=vision"}, chart...)...)
	if got := s.kept(was).Labels["team"]; got != "vision" {
		t.Errorf("the label is %q after an upgrade that changes it", got)
	}
	helm("uninstall", "run", "--wait")
	s.none("jobs,services")
}
