package reload

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

var (
	lastSuccessful = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "taojob_config_last_reload_successful",
		Help: "Whether the configuration and rules in the files are those in use: 1, or 0 if they are not usable.",
	})
	lastSuccess = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "taojob_config_last_reload_success_timestamp_seconds",
		Help: "When configuration and rules were last taken into use, in seconds since 1970.",
	})
	reloads = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "taojob_config_reloads_total",
		Help: "Times that configuration and rules were read, the first included, by outcome (success, failure).",
	}, []string{"outcome"})
)

func init() {
	metrics.Registry.MustRegister(lastSuccessful, lastSuccess, reloads)
	reloads.WithLabelValues("success")
	reloads.WithLabelValues("failure")
}

func succeeded() {
	lastSuccessful.Set(1)
	lastSuccess.SetToCurrentTime()
	reloads.WithLabelValues("success").Inc()
}

func failed() {
	lastSuccessful.Set(0)
	reloads.WithLabelValues("failure").Inc()
}
