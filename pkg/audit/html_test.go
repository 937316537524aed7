package audit

import (
	"strings"
	"testing"
	"time"

	"github.com/taojob/taojob/pkg/validate"
)

// TestExceptionsAreShown covers all formats that list findings.
func TestExceptionsAreShown(t *testing.T) {
	r := reviewer(t)
	r.Policy.Exceptions = []validate.Exception{{
		Rules: []string{"inline-credentials"}, Reason: "moving", Expires: time.Date(2027, 1, 31, 12, 0, 0, 0, time.UTC),
	}}
	report := review(t, r, labelled("a", "")+"        command: [canary]\n")
	for _, format := range AuditFormats.Names(false) {
		var out strings.Builder
		if err := AuditFormats.Write(&out, format, report, Style{}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "moving") {
			t.Errorf("%s does not say why:\n%s", format, out.String())
		}
	}
}

// TestThePageEscapes plants markup where a name would stand.
func TestThePageEscapes(t *testing.T) {
	report := &Report{Items: []Item{{
		Kind: "Job", Namespace: "<script>alert(1)</script>", Name: "a", Selected: true,
		Violations: []validate.Violation{{Rule: "x", Action: validate.Deny, Path: "spec", Message: "<u>", Fix: "<blink>"}},
		places:     []place{{}},
	}}}
	var out strings.Builder
	if err := AuditFormats.Write(&out, "html", report, Style{}); err != nil {
		t.Fatal(err)
	}
	for _, markup := range []string{"<script>alert", "<u>", "<blink>"} {
		if strings.Contains(out.String(), markup) {
			t.Errorf("%s is on the page", markup)
		}
	}
}
