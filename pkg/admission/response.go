package admission

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/taojob/taojob/pkg/validate"
)

// maxFindings are spelled out in one answer; a Job that repeats a mistake a
// thousand times need not be told a thousand times.
const maxFindings = 20

// respond turns findings into the answer: denials into one error that lists
// them all, warnings into warnings. What was found before a rule failed counts.
func (v *Validator) respond(ctx context.Context, found []validate.Violation, failed error) (admission.Warnings, error) {
	var denials, warnings []string
	for _, f := range found {
		violations.WithLabelValues(f.Rule, string(f.Action)).Inc()
		switch f.Action {
		case validate.Deny:
			denials = append(denials, sentence(f))
		case validate.Warn:
			warnings = append(warnings, sentence(f))
		case validate.Audit, validate.Off:
		}
	}
	v.count(ctx, failed)
	if len(denials) > 0 {
		return warnings, forbidden(strings.Join(shorten(denials), "\n"))
	}
	if failed != nil && !v.AllowOnError {
		return warnings, forbidden("taojob could not judge the Job, and is set up to refuse it then: " + failed.Error())
	}
	return shorten(warnings), nil
}

// count records rules that could not be evaluated; their errors hold no value.
func (v *Validator) count(ctx context.Context, failed error) {
	if failed == nil {
		return
	}
	log.FromContext(ctx).Error(failed, "a rule could not be evaluated", "admitted", v.AllowOnError)
	for _, err := range split(failed) {
		rule := "none"
		if r, ok := errors.AsType[*validate.RuleError](err); ok {
			rule = r.Rule
		}
		policyErrors.WithLabelValues(rule).Inc()
	}
}

func split(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, split(e)...)
	}
	return all
}

func sentence(f validate.Violation) string {
	return fmt.Sprintf("%s: %s: %s; fix: %s", f.Rule, f.Path, f.Message, f.Fix)
}

func shorten(sentences []string) []string {
	if len(sentences) <= maxFindings {
		return sentences
	}
	rest := len(sentences) - maxFindings
	return append(sentences[:maxFindings:maxFindings], fmt.Sprintf("and %d more", rest))
}

func forbidden(message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: message,
	}}
}
