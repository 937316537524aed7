package admission_test

import (
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/taojob/taojob/pkg/job/jobtest"
	"github.com/taojob/taojob/pkg/validate"
)

func TestAnExceptionCountsUntilItExpires(t *testing.T) {
	expires := time.Date(2027, 1, 31, 12, 0, 0, 0, time.UTC)
	leaky := jobtest.New("legacy-1").Env("HF_TOKEN", canary).Defaulted().Obj()
	for name, tc := range map[string]struct {
		at      time.Time
		allowed bool
		record  string
	}{
		"before, it is recorded with the reason":      {expires.Add(-time.Hour), true, "inline-credentials (excepted until 2027-01-31 12:00:00 UTC: moving)"},
		"at its last moment as well":                  {expires, true, "excepted until"},
		"after, the same server refuses the same Job": {expires.Add(time.Second), false, "inline-credentials (deny)"},
	} {
		t.Run(name, func(t *testing.T) {
			v := validator(t, gpuNodes(1)...)
			policy := *v.Policy()
			policy.Exceptions = []validate.Exception{{
				Rules: []string{"inline-credentials"}, Jobs: []string{"legacy-*"}, Reason: "moving", Expires: expires,
			}}
			v.Policy = func() *validate.Policy { return &policy }
			v.Now = func() time.Time { return tc.at }
			resp := v.JobWebhook().Handle(t.Context(), request(t, admissionv1.Create, leaky, nil))
			if resp.Allowed != tc.allowed || strings.Contains(strings.Join(resp.Warnings, ""), "inline-credentials") {
				t.Errorf("response is %+v", resp)
			}
			if got := resp.AuditAnnotations["violations"]; !strings.Contains(got, tc.record) {
				t.Errorf("the record is %q, want %q", got, tc.record)
			}
		})
	}
}
