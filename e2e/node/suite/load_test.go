package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/taojob/taojob/e2e/webhook"
)

const (
	// every is the time between two admissions: 20 a second.
	every = 50 * time.Millisecond
	// patience is how long one admission may take. It is longer than the
	// webhooks' own time limit, which then is what ends it.
	patience = 15 * time.Second
	// loadEnv names the variable that sets how long each disturbance is watched.
	loadEnv     = "E2E_LOAD"
	defaultLoad = 15 * time.Second
)

// load is a stream of Jobs that the API server is asked to create, for a trial.
type load struct {
	stop context.CancelFunc
	done chan struct{}

	mu      sync.Mutex
	took    []time.Duration
	failed  []error // the webhook's fault
	cut     []span  // a process was killed while it answered
	outages int     // no API server to ask
}

// span is from the sending of a request to its answer.
type span struct{ start, end time.Time }

// startLoad creates Jobs until the load is judged.
func (s *site) startLoad(t *testing.T) *load {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	l := &load{stop: cancel, done: make(chan struct{})}
	go l.run(ctx, s)
	t.Cleanup(func() { cancel(); <-l.done })
	return l
}

func (l *load) run(ctx context.Context, s *site) {
	var running sync.WaitGroup
	defer close(l.done)
	defer running.Wait()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			running.Go(func() { l.create(s, fmt.Sprintf("load-%d", i)) }) //nolint:contextcheck // what has begun is not to be cut off
		}
	}
}

// create tries one Job. The context that ends the load doesn't end what it has
// begun: that would look like a failure.
func (l *load) create(s *site, name string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	start := time.Now()
	j, err := s.client.BatchV1().Jobs(metav1.NamespaceDefault).Create(ctx, webhook.Job(name), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	took := time.Since(start)
	if err == nil {
		err = injected(j)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err == nil:
		l.took = append(l.took, took)
	case isOutage(err):
		l.outages++
	case isCut(err):
		l.cut = append(l.cut, span{start, start.Add(took)})
	default:
		l.failed = append(l.failed, fmt.Errorf("%s after %s: %w", start.Format("15:04:05.000"), took.Round(time.Millisecond), err))
	}
}

// injected tells whether the mutating webhook was asked at all.
func injected(j *batchv1.Job) error {
	if j.Annotations["tao.nvidia.com/injected"] == "" {
		return errors.New("the Job was created without anything injected")
	}
	return nil
}

// isOutage tells whether there was no API server to ask, or one that ends: an
// answer from a working one has a reason, and one about a webhook is its 500.
func isOutage(err error) bool {
	status := apierrors.APIStatus(nil)
	if !errors.As(err, &status) {
		return true
	}
	return apierrors.IsServiceUnavailable(err) || apierrors.IsTooManyRequests(err)
}

// isCut tells whether a connection ended while the webhook answered. The API
// server asks nobody twice, so that this request is lost with the process.
func isCut(err error) bool {
	text := err.Error()
	return strings.Contains(text, "connection reset by peer") || strings.HasSuffix(text, ": EOF")
}

// watch lets the load go on for a while after what was done to the webhook.
func (l *load) watch(t *testing.T) {
	t.Helper()
	limit := defaultLoad
	if text := os.Getenv(loadEnv); text != "" {
		var err error
		if limit, err = time.ParseDuration(text); err != nil {
			t.Fatalf("read %s: %v", loadEnv, err)
		}
	}
	<-time.After(limit) // it is the length of a measurement, not a wait for something
}

// judge ends the load and fails the test if any Job was refused, but for those
// that a killed process was answering at that very moment, and those that found
// no API server where the test has stopped it.
func (l *load) judge(t *testing.T, d disturbance) {
	t.Helper()
	l.stop()
	<-l.done
	slices.Sort(l.took)
	n := len(l.took)
	if n == 0 {
		t.Fatalf("no admission succeeded; %d failed: %v", len(l.failed), errors.Join(l.failed...))
	}
	t.Logf("%d admissions, %d failed, %d cut off, %d without an API server; p50 %s, p99 %s, slowest %s",
		n+len(l.failed)+len(l.cut)+l.outages, len(l.failed), len(l.cut), l.outages, l.took[n/2].Round(100*time.Microsecond),
		l.took[n*99/100].Round(100*time.Microsecond), l.took[n-1].Round(100*time.Microsecond))
	if len(l.failed) > 0 {
		t.Errorf("%d admissions failed, among them:\n%v", len(l.failed), errors.Join(l.failed[:min(5, len(l.failed))]...))
	}
	for _, c := range l.cut {
		if !slices.ContainsFunc(here.kills, func(at time.Time) bool { return c.start.Before(at) && at.Before(c.end) }) {
			t.Errorf("an admission was cut off from %s to %s, when nobody was killed", c.start.Format("15:04:05.000"), c.end.Format("15:04:05.000"))
		}
	}
	if l.outages > 0 && !d.outage {
		t.Errorf("%d requests found no API server", l.outages)
	}
}
