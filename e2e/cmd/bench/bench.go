package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/taojob/taojob/e2e/cluster"
	"github.com/taojob/taojob/e2e/webhook"
)

// timeLimit bounds all of it, the cluster's start and its nodes included.
const timeLimit = 15 * time.Minute

// contender is one of the three that are compared. Each has a namespace of its
// own, and its webhooks are asked about no other.
type contender struct {
	name    string
	webhook *webhook.Webhook // nil for none
	taken   []time.Duration  // for each create, sorted at the end
	medians []time.Duration  // of each turn: how far apart they are is the machine's noise
	cpu     time.Duration    // of the webhook's process, while it was measured
	rss     int64
}

func bench(ctx context.Context, o options, out, log io.Writer) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, timeLimit, fmt.Errorf("not within %s", timeLimit))
	defer cancel()
	c, err := cluster.Start(ctx, cluster.Options{Version: o.version})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Stop()) }()
	if err := addNodes(ctx, c, o.nodes); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	contenders := []*contender{{name: "none"}, {name: "nothing"}, {name: "taojob"}}
	for i, command := range [][]string{nil, {self, "nothing"}, nil} {
		k := contenders[i]
		if err := k.start(ctx, c, command, log); err != nil {
			return err
		}
		if k.webhook != nil {
			defer func() { err = errors.Join(err, k.webhook.Stop()) }()
		}
	}
	load := loadAverage()
	if err := measure(ctx, c, contenders, o); err != nil {
		return err
	}
	for _, k := range contenders {
		if err := k.asked(ctx, len(k.taken)); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "Kubernetes %s, %d nodes; %d CPUs, load average %s before and %s after\n",
		c.Assets.Version, o.nodes, runtime.NumCPU(), load, loadAverage())
	report(out, contenders, o.creates)
	return nil
}

// addNodes adds them a few at a time: thousands would take minutes.
func addNodes(ctx context.Context, c *cluster.Cluster, n int) error {
	const workers = 8
	errs := make(chan error, workers)
	for worker := range workers {
		go func() {
			var err error
			for i := worker; i < n && err == nil; i += workers {
				err = c.AddNode(ctx, cluster.NodeSpec{Name: fmt.Sprintf("node-%d", i), GPUs: 8})
			}
			errs <- err
		}()
	}
	var all []error
	for range workers {
		all = append(all, <-errs)
	}
	return errors.Join(all...)
}

func (k *contender) start(ctx context.Context, c *cluster.Cluster, command []string, log io.Writer) (err error) {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: k.name}}
	if _, err := c.Client.CoreV1().Namespaces().Create(ctx, ns, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create namespace: %w", err)
	}
	if k.name == "none" {
		return nil
	}
	// In production nobody logs at debug level.
	k.webhook, err = webhook.Start(ctx, c, webhook.Options{
		Name: k.name, Command: command, Namespace: k.name, Log: log, Args: []string{"--log-level", "info"},
	})
	return err
}

// measure lets the contenders take turns. The first turn of each is not
// counted: caches fill, and the API server comes to know of the webhooks.
func measure(ctx context.Context, c *cluster.Cluster, contenders []*contender, o options) error {
	began := time.Now()
	for round := range o.rounds + 1 {
		if round > 1 && time.Since(began) > o.limit {
			return nil
		}
		for i := range contenders {
			k := contenders[(round+i)%len(contenders)]
			if err := k.turn(ctx, c, o.creates); err != nil {
				return err
			}
			if round == 0 {
				k.taken, k.medians, k.cpu = nil, nil, 0
			}
		}
	}
	return nil
}

func (k *contender) turn(ctx context.Context, c *cluster.Cluster, creates int) error {
	before, err := k.usage()
	if err != nil {
		return err
	}
	jobs := c.Client.BatchV1().Jobs(k.name)
	for range creates {
		began := time.Now()
		_, err := jobs.Create(ctx, trainingJob(), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		k.taken = append(k.taken, time.Since(began))
		if err != nil {
			return fmt.Errorf("create a Job in %s: %w", k.name, err)
		}
	}
	turn := slices.Sorted(slices.Values(k.taken[len(k.taken)-creates:]))
	k.medians = append(k.medians, percentile(turn, 50))
	after, err := k.usage()
	k.cpu += after.CPU - before.CPU
	k.rss = after.RSS
	return err
}

func (k *contender) usage() (webhook.Usage, error) {
	if k.webhook == nil {
		return webhook.Usage{}, nil
	}
	return k.webhook.Usage()
}

// trainingJob is a plain Job with 40 variables, as templates make them.
func trainingJob() *batchv1.Job {
	j := webhook.Job("train")
	c := &j.Spec.Template.Spec.Containers[0]
	for i := range 40 {
		c.Env = append(c.Env, corev1.EnvVar{Name: fmt.Sprintf("SETTING_%d", i), Value: fmt.Sprintf("value %d", i)})
	}
	c.Resources.Limits = corev1.ResourceList{cluster.GPU: resource.MustParse("1")}
	return j
}

func report(out io.Writer, contenders []*contender, creates int) {
	none, nothing, ours := contenders[0], contenders[1], contenders[2]
	fmt.Fprintf(out, "%d times %d dry-run creates of a Job with 40 variables\n\n", len(none.medians), creates)
	fmt.Fprintf(out, "%-10s %8s %16s %8s %14s %8s\n", "webhook", "p50 ms", "p50 of turns", "p99 ms", "CPU ms/create", "RSS MiB")
	for _, k := range contenders {
		slices.Sort(k.taken)
		turns := fmt.Sprintf("%.2f to %.2f", ms(slices.Min(k.medians)), ms(slices.Max(k.medians)))
		fmt.Fprintf(out, "%-10s %8.2f %16s %8.2f", k.name, ms(percentile(k.taken, 50)), turns, ms(percentile(k.taken, 99)))
		if k.webhook != nil {
			fmt.Fprintf(out, " %14.2f %8.0f", ms(k.cpu)/float64(len(k.taken)), float64(k.rss)/(1<<20))
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "\nours to nothing: p50 %.2f times, in the quietest turn of each %.2f times; CPU %+.2f ms per create\n",
		ms(percentile(ours.taken, 50))/ms(percentile(nothing.taken, 50)),
		ms(slices.Min(ours.medians))/ms(slices.Min(nothing.medians)), ms(ours.cpu-nothing.cpu)/float64(len(ours.taken)))
	if len(none.medians) < 2 {
		fmt.Fprintln(out, "noise: one turn each does not show it")
		return
	}
	low, high := slices.Min(none.medians), slices.Max(none.medians)
	fmt.Fprintf(out, "noise: the p50 of turns without a webhook is up to %.0f%% apart\n", 100*(ms(high)/ms(low)-1))
}

// loadAverage is how many threads wanted a CPU during the last minute.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	average, _, _ := strings.Cut(string(text), " ")
	return average
}

// asked makes sure that the API server really asked both webhooks.
func (k *contender) asked(ctx context.Context, creates int) error {
	if k.webhook == nil {
		return nil
	}
	metrics, err := k.webhook.Metrics(ctx)
	if err != nil {
		return err
	}
	for _, path := range []string{"/mutate-job", "/validate-job"} {
		var n float64
		for line := range strings.SplitSeq(metrics, "\n") {
			if strings.HasPrefix(line, "controller_runtime_webhook_requests_total{") && strings.Contains(line, path) {
				var more float64
				_, _ = fmt.Sscan(line[strings.LastIndex(line, " ")+1:], &more) // it stays 0
				n += more
			}
		}
		if n < float64(creates) {
			return fmt.Errorf("measure %s: its %s was asked %.0f times, want %d or more", k.name, path, n, creates)
		}
	}
	return nil
}

func percentile(sorted []time.Duration, p int) time.Duration {
	return sorted[min(len(sorted)*p/100, len(sorted)-1)]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
