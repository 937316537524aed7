package admission

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/taojob/taojob/pkg/validate"
)

// What an answer may hold, in bytes. A refusal lists everything that a person
// can read at once.
const (
	maxRefusal = 16 << 10
	// Of more than 4096 characters of warnings the API server cuts every single
	// one to 256, and other webhooks want to warn as well.
	maxWarnings   = 2 << 10
	maxAnnotation = 4 << 10
)

// respond turns a verdict into the answer: denials into one refusal that lists
// them all, warnings into warnings, and all there is to record into audit
// annotations. What was found before a rule failed counts.
func (v *Validator) respond(ctx context.Context, said verdict) admission.Response {
	said.count()
	var denials, warnings []string
	for _, f := range said.found {
		switch f.Action {
		case validate.Deny:
			denials = append(denials, sentence(f))
		case validate.Warn:
			warnings = append(warnings, sentence(f))
		case validate.Audit, validate.Off:
		}
	}
	var failures []string
	for _, rule := range slices.Sorted(maps.Keys(said.failed)) {
		countError(ctx, rule, said.failed[rule], v.AllowOnError)
		failures = append(failures, said.failed[rule].Error())
	}
	resp := admission.Allowed("")
	switch {
	case len(denials) > 0:
		resp = forbidden(denials)
	case len(failures) > 0 && !v.AllowOnError:
		resp = forbidden([]string{"taojob could not judge this, and is set up to refuse it then: " + strings.Join(failures, "; ")})
	}
	resp.AuditAnnotations = said.record(failures)
	return resp.WithWarnings(brief(warnings)...)
}

func forbidden(sentences []string) admission.Response {
	return refuse(http.StatusForbidden, metav1.StatusReasonForbidden, strings.Join(fitting(sentences, maxRefusal), "\n"))
}

// sentence is one finding for people.
func sentence(f validate.Violation) string {
	return fmt.Sprintf("%s: %s: %s; fix: %s", f.Rule, f.Path, f.Message, f.Fix)
}

// record is what the API server's audit log shall hold beside the request, nil
// for nothing. The API server puts the webhook's name before each key.
func (said *verdict) record(failures []string) map[string]string {
	var found, skipped []string
	for _, f := range said.found {
		found = append(found, fmt.Sprintf("%s (%s): %s: %s", f.Rule, standing(f), f.Path, f.Message))
	}
	for _, s := range said.skipped {
		skipped = append(skipped, s.Rule+": "+s.Reason)
	}
	all := map[string]string{}
	for key, lines := range map[string][]string{"violations": found, "skipped": skipped, "policy-errors": failures} {
		if len(lines) > 0 {
			all[key] = strings.Join(fitting(lines, maxAnnotation), "\n")
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// standing is a finding's action, or the exception that takes it away.
func standing(f validate.Violation) string {
	if f.Excepted != nil {
		return f.Excepted.String()
	}
	return string(f.Action)
}

// excepted counts among the actions what an exception covers.
const excepted = "excepted"

// count counts what was found and what could not be judged.
func (said *verdict) count() {
	for _, f := range said.found {
		action := string(f.Action)
		if f.Excepted != nil {
			action = excepted
		}
		violations.WithLabelValues(f.Rule, action).Inc()
	}
	for _, s := range said.skipped {
		skippedRules.WithLabelValues(s.Rule).Inc()
	}
}

// countError counts a rule that could not be evaluated; its error holds no value.
func countError(ctx context.Context, rule string, err error, admitted bool) {
	reason, stack := validate.Failed, ""
	if failed, ok := errors.AsType[*validate.RuleError](err); ok {
		reason, stack = failed.Failure, failed.Stack
	}
	policyErrors.WithLabelValues(cmp.Or(rule, "none"), string(reason)).Inc()
	log.FromContext(ctx).Error(err, "a rule could not be evaluated", "admitted", admitted, "reason", reason, "stack", stack)
}

// brief makes warnings that the API server hands on whole.
func brief(warnings []string) []string { return fitting(warnings, maxWarnings) }

// fitting keeps the first sentences that fit into a number of bytes, and says
// how many it left out; of the first it keeps what fits. Control characters
// become blanks, since the API server drops a warning that has one.
func fitting(sentences []string, room int) []string {
	var kept []string
	for i, s := range sentences {
		if len(s) > room && i > 0 {
			return append(kept, fmt.Sprintf("and %d more", len(sentences)-i))
		}
		if len(s) > room {
			s = strings.ToValidUTF8(s[:room], "") + "…"
		}
		room -= len(s)
		kept = append(kept, strings.Map(printable, s))
	}
	return kept
}

func printable(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}
