package admission

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// Labels are bounded: rules and actions are few. Requests and their durations
// are counted by controller-runtime.
var (
	violations = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "taojob_violations_total",
		Help: "Violations found in admissions, by rule and action.",
	}, []string{"rule", "action"})
	skippedRules = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "taojob_rules_skipped_total",
		Help: "Rules that could not be judged since a fact was missing.",
	}, []string{"rule"})
	policyErrors = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "taojob_policy_errors_total",
		Help: "Rules that failed to evaluate.",
	}, []string{"rule"})
)

func init() {
	metrics.Registry.MustRegister(violations, skippedRules, policyErrors)
}
