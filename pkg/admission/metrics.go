package admission

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// Labels are bounded: webhooks, operations, rules and actions are few. How long
// requests take is measured by controller-runtime.
var (
	admissions = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "taojob_admissions_total",
		Help: "Admission requests by webhook, operation and outcome (allowed, patched, refused, error).",
	}, []string{"webhook", "operation", "outcome"})
	violations = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "taojob_violations_total",
		Help: "Violations found in admissions, by rule and action (deny, warn, audit, excepted).",
	}, []string{"rule", "action"})
	skippedRules = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "taojob_rules_skipped_total",
		Help: "Rules that could not be judged since a fact was missing.",
	}, []string{"rule"})
	policyErrors = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "taojob_policy_errors_total",
		Help: "Rules that failed to evaluate, by rule and reason (error, timeout, panic).",
	}, []string{"rule", "reason"})
)

func init() {
	metrics.Registry.MustRegister(admissions, violations, skippedRules, policyErrors)
}
