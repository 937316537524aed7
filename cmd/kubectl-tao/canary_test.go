package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/taojob/taojob/pkg/job/jobtest"
)

// manifests are those of Jobs, in one file.
func manifests(t *testing.T, all []jobtest.Planted) string {
	t.Helper()
	var text strings.Builder
	for _, p := range all {
		raw, err := yaml.Marshal(p.Obj())
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString("---\n" + string(raw))
	}
	return text.String()
}

// TestNoOutputHoldsACredential gives the Jobs to every command that reads any, in
// every format. A rule that only warns lets them through, to where they are written.
func TestNoOutputHoldsACredential(t *testing.T) {
	alone := jobtest.PlantAlone()
	all := append(jobtest.Plant(), alone...)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"all.yaml":   manifests(t, all),
		"alone.yaml": manifests(t, alone),
		"nodes.yaml": "apiVersion: v1\nkind: Node\nmetadata: {name: gpu-0}\nstatus: {allocatable: {cpu: 1, pods: 9}, conditions: [{type: Ready, status: 'True'}]}\n",
		"warn.yaml":  "apiVersion: config.tao.nvidia.com/v1alpha1\nkind: Config\nrules: {inline-credentials: warn, gpu-capacity: audit}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	warns := []string{"--config", filepath.Join(dir, "warn.yaml"), "--inventory", filepath.Join(dir, "nodes.yaml"), "--kube-version", "1.27"}
	for command, formats := range readers() {
		for _, format := range formats {
			for file, more := range map[string][]string{"alone.yaml": nil, "all.yaml": warns} {
				t.Run(command+" "+format+" "+file, func(t *testing.T) {
					args := append([]string{command, "-f", filepath.Join(dir, file), "-o", format}, more...)
					_, stdout, stderr := execute(t, "", args...)
					if len(stdout)+len(stderr) < 1000 {
						t.Errorf("nothing is said, so that nothing is proven: %s", stderr)
					}
					for _, p := range all {
						for _, leak := range p.Leaked(stdout + stderr) {
							t.Errorf("printed: %s", leak)
						}
					}
				})
			}
		}
	}
}

// readers are the commands that read manifests, and their formats.
func readers() map[string][]string {
	all := map[string][]string{}
	for _, c := range rootCommand().Commands() {
		if c.Flags().Lookup("filename") == nil {
			continue
		}
		_, formats, _ := strings.Cut(c.Flags().Lookup("output").Usage, ": ")
		all[c.Name()] = strings.Split(formats, ", ")
	}
	return all
}
