package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// given is one of testdata/cases.json: a manifest and what review must say of it.
type given struct {
	ID          string `json:"id"`
	Group       string `json:"group"`
	File        string `json:"file"`
	Inventory   string `json:"inventory"`
	KubeVersion string `json:"kube_version"`
	Why         string `json:"why"`
	Expect      expect `json:"expect"`
}

// expect is looked at on the first item. What is nil or empty is not checked.
type expect struct {
	Exit         int      `json:"exit"`
	Selected     *bool    `json:"selected"`
	Allowed      *bool    `json:"allowed"`
	Rules        []string `json:"rules"`
	WarnRules    []string `json:"warn_rules"`
	AbsentRules  []string `json:"absent_rules"`
	Paths        []string `json:"paths"`
	MustNotPrint []string `json:"must_not_print"`
	// JQ are pairs of a path into the item and the value there.
	JQ [][2]any `json:"jq"`
	// Spec are values in mutated. Env, EnvFrom and Mounts are by container.
	Spec    map[string]any               `json:"spec"`
	Env     map[string]map[string]any    `json:"env"`
	EnvFrom map[string][]string          `json:"envFrom"`
	Mounts  map[string]map[string]string `json:"mounts"`
	// VolumesMemory are sizes by mount path.
	VolumesMemory map[string]string `json:"volumes_memory"`
	VolumeCount   *int              `json:"volume_count"`
	// Service are values in the Service, null for none.
	Service        json.RawMessage `json:"service"`
	ServiceSelects string          `json:"service_selects"`
}

// TestCases runs the whole command on every case. It knows every expectation:
// one that is not known fails to decode.
func TestCases(t *testing.T) {
	raw, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []given
	strict := json.NewDecoder(bytes.NewReader(raw))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&cases); err != nil {
		t.Fatal(err)
	}
	for _, tc := range cases {
		t.Run(tc.ID, func(t *testing.T) {
			args := []string{"review", "-o", "json", "-f", filepath.Join("testdata", tc.File)}
			if tc.Inventory != "" {
				args = append(args, "--inventory", filepath.Join("testdata", tc.Inventory))
			}
			if tc.KubeVersion != "" {
				args = append(args, "--kube-version", tc.KubeVersion)
			}
			code, stdout, stderr := execute(t, "", args...)
			c := check{t, tc.Expect, nil}
			if code != tc.Expect.Exit {
				t.Errorf("exit %d, want %d: %s", code, tc.Expect.Exit, tc.Why)
			}
			c.secrets(stdout + stderr)
			if tc.Expect.Exit != 2 {
				c.report(stdout)
			}
		})
	}
}

// execute runs the command in this process.
func execute(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, notes bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(stdin), &out, &notes)
	return code, out.String(), notes.String()
}
