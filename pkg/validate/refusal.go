package validate

import "k8s.io/apimachinery/pkg/util/validation/field"

// InvalidAnnotation is the rule id under which errors of reading a Job show.
// No policy stands behind it, so it cannot be turned off: injection refuses
// these Jobs.
const InvalidAnnotation = "invalid-annotation"

// Refusal is an error of job.Read or mutate.Mutate as a violation. For a
// CronJob, below is "spec.jobTemplate."; for a Job it is empty.
func Refusal(below string, err *field.Error) Violation {
	return Violation{
		Rule: InvalidAnnotation, Action: Deny, Path: below + err.Field,
		Message: err.Detail, Fix: "correct it, or leave it out for the default",
	}
}
