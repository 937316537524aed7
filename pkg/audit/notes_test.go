package audit

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taojob/taojob/pkg/validate"
)

func TestJobsOfOtherVersionsAreNoted(t *testing.T) {
	for name, tc := range map[string]struct {
		in   string
		want []Problem
	}{
		"a version that is gone": {
			"apiVersion: batch/v1beta1\nkind: CronJob\n",
			[]Problem{{File: "stdin", Line: 1, Message: "a CronJob of this apiVersion is not served by the cluster and not judged, want batch/v1"}},
		},
		"a forgotten group": {
			"kind: Job\napiVersion: v1\n",
			[]Problem{{File: "stdin", Line: 2, Message: "a Job of this apiVersion is not served by the cluster and not judged, want batch/v1"}},
		},
		"not the Jobs of others": {"apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			report := review(t, &Reviewer{}, tc.in)
			if diff := cmp.Diff(tc.want, report.Notes); diff != "" {
				t.Error(diff)
			}
			if report.ExitCode(validate.Deny) != ExitNoJob {
				t.Errorf("exit %d", report.ExitCode(validate.Deny))
			}
		})
	}
}
