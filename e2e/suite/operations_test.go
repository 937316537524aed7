package suite

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// The tests of this file disturb all others, and so are not parallel.

func TestWithoutTheWebhookLabelledJobsWait(t *testing.T) {
	s := newSpace(t)
	s.do(manifest("before"), create...)
	s.do(manifest("foreground"), create...)
	if err := hook.Stop(); err != nil {
		t.Error(err)
	}
	s.refused(manifest("during"), create, "failed calling webhook", "connection refused")
	s.do(manifest("plain", unlabelled), create...)
	s.do(cronJob("nightly", "@daily"), create...) // its Jobs are judged anyway
	s.do("", "delete", "job", "before")
	s.do("", "delete", "job", "foreground", "--cascade=foreground", "--wait=false")
	s.do("", "delete", "pod", "--all", "--force", "--grace-period=0") // no kubelet ends them
	if err := hook.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.do(manifest("after"), create...)
	checkInjected(t, s.job("after"), "tao-creds-after")
	s.within(2*patience, "the end of the Job that was deleted meanwhile", func() error { return s.gone("foreground") })
}

func TestAKilledWebhookLeavesNothingBehind(t *testing.T) {
	s := newSpace(t)
	// A credential from before its Job was labelled: the next process reads
	// that Job, and the canary must not come to its log.
	s.do(manifest("leaky", unlabelled, env("HF_TOKEN", canary)), create...)
	s.do("", "label", "job", "leaky", "tao.nvidia.com/job=true")
	hook.Kill()
	if err := hook.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.do(manifest("after"), create...)
	checkInjected(t, s.job("after"), "tao-creds-after")
}

func TestTheWebhookOutlivesARestartOfTheAPIServer(t *testing.T) {
	s := newSpace(t)
	log, err := os.ReadFile(hook.LogFile)
	if err != nil {
		t.Fatal(err)
	}
	// A server that has just started refuses everybody until it knows the roles.
	for line := range strings.Lines(string(log)) {
		s.lacks(line, `taojob-webhook\" cannot`)
	}
	if err := plane.StopAPIServer(); err != nil {
		t.Fatal(err)
	}
	if err := plane.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.eventually("Jobs are injected after the API server came back", func() error {
		r := s.kubectl(manifest("after"), create...)
		if r.err != nil {
			return fmt.Errorf("%w: %s", r.err, r.out)
		}
		return nil
	})
	checkInjected(t, s.job("after"), "tao-creds-after")
}

func TestARenewedCertificateIsServedWithoutARestart(t *testing.T) {
	s := newSpace(t)
	want, err := hook.Renew()
	if err != nil {
		t.Fatal(err)
	}
	s.eventually("the new certificate", func() error {
		got, err := hook.Served(t.Context())
		if err == nil && !got.Equal(want) {
			err = fmt.Errorf("still that of %s", got.NotBefore)
		}
		return err
	})
	metrics, err := hook.Metrics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	end := strconv.FormatFloat(float64(want.NotAfter.Unix()), 'g', -1, 64)
	s.contains(metrics, "\ntaojob_certificate_expiry_timestamp_seconds "+end+"\n")
	s.do(manifest("after"), create...)
	checkInjected(t, s.job("after"), "tao-creds-after")
}

func TestMetrics(t *testing.T) {
	s := newSpace(t)
	s.do(manifest("counted"), create...)
	s.refused(manifest("refused", gpus(16)), create, "gpu-capacity")
	if err := hook.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	metrics, err := hook.Metrics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var ours []string
	for line := range strings.SplitSeq(metrics, "\n") {
		if strings.HasPrefix(line, "taojob_") {
			ours = append(ours, line)
		}
	}
	text := strings.Join(ours, "\n")
	s.contains(text, "gpu-capacity", "taojob_admissions_total")
	s.contains(metrics, "controller_runtime_webhook_requests_total")
	s.lacks(metrics, canary)
}
