package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/taojob/taojob/pkg/config"
	"github.com/taojob/taojob/pkg/mutate"
	"github.com/taojob/taojob/pkg/validate"
)

const head = "apiVersion: config.tao.nvidia.com/v1alpha1\nkind: Config\n"

func TestParse(t *testing.T) {
	for name, tc := range map[string]struct {
		in      string
		options mutate.Options
		rules   validate.Actions
	}{
		"a file with nothing but its head holds the defaults": {in: head},
		"all settings are taken over": {
			in: head + "injection:\n  env: {NCCL_SOCKET_IFNAME: eth0}\n  shmSize: 8Gi\n  imagePullSecret: ngc\nrules:\n  gpu-capacity: warn\n",
			options: mutate.Options{
				Env: map[string]string{"NCCL_SOCKET_IFNAME": "eth0"}, ShmSize: resource.MustParse("8Gi"), ImagePullSecret: "ngc",
			},
			rules: validate.Actions{"gpu-capacity": validate.Warn},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := config.Parse([]byte(tc.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.options, c.Options()); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tc.rules, c.Rules); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ in, says string }{
		"an empty file":                 {"", "want apiVersion"},
		"another version":               {"apiVersion: config.tao.nvidia.com/v2\nkind: Config\n", "want apiVersion: config.tao.nvidia.com/v1alpha1"},
		"another kind":                  {"apiVersion: config.tao.nvidia.com/v1alpha1\nkind: Job\n", "kind: Config"},
		"a field that is not known":     {head + "injections: {}\n", `line 3: unknown field "injections"`},
		"a mistyped field further in":   {head + "injection:\n  shmsize: 8Gi\n", `line 4: unknown field "injection.shmsize"`},
		"a head in capitals":            {"APIVersion: x\n" + head, `line 1: unknown field "APIVersion"`},
		"a key twice, with its line":    {head + "rules: {}\nrules: {}\n", `line 4: key "rules" already set`},
		"a size that is none":           {head + "injection: {shmSize: big}\n", "quantities must match"},
		"a negative size":               {head + "injection: {shmSize: -1Gi}\n", "injection.shmSize: want a size"},
		"an env value that is no text":  {head + "injection: {env: {NCCL_DEBUG: 1}}\n", "line 3: injection.env: want a string, found number"},
		"an off without quotes":         {head + "rules: {gpu-capacity: off}\n", `line 3: rules: want a string, found bool; put it into quotes if a word such as "off" is meant`},
		"a word for a list":             {head + "namespaces: [{names: dev}]\n", "want a list, found string"},
		"a list for an object":          {head + "rules: []\n", "line 3: rules: want an object, found array"},
		"a list for the whole":          {"[]", "line 1: want an object, found array"},
		"a variable that cannot be set": {head + "injection: {env: {A B: c}}\n", `injection.env: "A B" is no name of a variable`},
		"a Secret that cannot be":       {head + "injection: {imagePullSecret: A_B}\n", "injection.imagePullSecret: want the name of a Secret"},
		"broken YAML":                   {head + "rules: [\n", "line 3: did not find expected node content"},
		"a second document":             {head + "---\n" + head, "want one YAML document, found more"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "config.yaml")
			if err := os.WriteFile(file, []byte(tc.in), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := config.Read(file)
			if err == nil || !strings.Contains(err.Error(), tc.says) || !strings.HasPrefix(err.Error(), "read config "+file+": ") {
				t.Errorf("got %v, want %q", err, tc.says)
			}
		})
	}
}

func TestReadNamesAMissingFile(t *testing.T) {
	if _, err := config.Read("nowhere.yaml"); err == nil || !strings.Contains(err.Error(), "nowhere.yaml") {
		t.Errorf("got %v", err)
	}
}
