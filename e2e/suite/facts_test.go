package suite

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestWarningsByFacts are about what else is in the namespace: the webhook
// hears of it a moment later.
func TestWarningsByFacts(t *testing.T) {
	t.Parallel()
	dryRun := append(slices.Clone(create), "--dry-run=server")
	for name, tc := range map[string]struct {
		objects string // that are there before the Job
		edits   []edit
		texts   []string
	}{
		"GPUs that the quota does not leave": {
			`{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"gpus"},"spec":{"hard":{"requests.nvidia.com/gpu":"3"}}}`,
			[]edit{gpus(4)},
			[]string{"resource-quota", `ResourceQuota "gpus" leaves room for 0 of the 1 pod`, "4 asked for of requests.nvidia.com/gpu, and 0 of 3 used"},
		},
		"a quota on what the container does not say": {
			`{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"compute"},"spec":{"hard":{"limits.memory":"1Ti"}}}`,
			nil,
			[]string{"resource-quota", `container "train" has no limit of memory`, "the API server will refuse the pods"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t)
			s.do(tc.objects, append([]string{"apply"}, fromInput...)...)
			s.eventually("the webhook knows of it", func() error {
				if r := s.kubectl(manifest("warned", tc.edits...), dryRun...); !strings.Contains(r.out, tc.texts[0]) {
					return errors.New(r.out)
				}
				return nil
			})
			s.contains(s.apply(manifest("warned", tc.edits...)), append(tc.texts, "Warning: ", "job.batch/warned created")...)
		})
	}
}
