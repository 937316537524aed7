package suite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var dryRun = metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}

// pods are those of the webhook, by name.
func (s *site) pods(ctx context.Context, t *testing.T) map[string]corev1.Pod {
	t.Helper()
	list, err := s.client.CoreV1().Pods(system).List(ctx, metav1.ListOptions{LabelSelector: webhookPods})
	if err != nil {
		t.Fatal(err)
	}
	pods := map[string]corev1.Pod{}
	for _, pod := range list.Items {
		pods[pod.Name] = pod
	}
	return pods
}

// rotate makes a new certificate, and waits until every pod serves it.
func (s *site) rotate(t *testing.T, mode string) {
	before := map[string]string{}
	for name := range s.pods(t.Context(), t) {
		expiry, err := s.expiry(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		before[name] = expiry
	}
	// A certificate's times are whole seconds, and tell two of them apart.
	<-time.After(time.Second)
	s.renew(t, mode)
	await(t, 3*time.Minute, "every pod serves the new certificate", func(ctx context.Context) error {
		for name, old := range before {
			now, err := s.expiry(ctx, name)
			if err != nil {
				return err
			}
			if now == old {
				return fmt.Errorf("pod %s still serves the old one", name)
			}
		}
		return nil
	})
}

// renew asks for a new certificate as an administrator does.
func (s *site) renew(t *testing.T, mode string) {
	if mode == "self" {
		s.must(t, "", s.kubectl, "-n", system, "patch", "secret", tlsSecret, "--type=merge", "-p", `{"data":{"tls.crt":""}}`)
		return
	}
	s.must(t, "", s.kubectl, "-n", system, "patch", "certificate", deployment, "--subresource=status", "--type=merge", "-p",
		fmt.Sprintf(`{"status":{"conditions":[{"type":"Issuing","status":"True","reason":"ManuallyTriggered","message":"renewed by hand","lastTransitionTime":%q}]}}`,
			time.Now().UTC().Format(time.RFC3339)))
}

const expiryMetric = "taojob_certificate_expiry_timestamp_seconds "

// expiry is when the certificate ends that a pod serves, as its metric says.
func (s *site) expiry(ctx context.Context, pod string) (string, error) {
	text, err := s.client.CoreV1().Pods(system).ProxyGet("http", pod, "8080", "metrics", nil).DoRaw(ctx)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, expiryMetric); ok {
			return strings.TrimSpace(value), nil
		}
	}
	return "", fmt.Errorf("find %sin the metrics of pod %s: it isn't there", expiryMetric, pod)
}

// kill ends the webhook's processes as an out-of-memory kill would: one, and
// another as soon as the first one's container runs again. One of them is the
// one that the API server talks to.
func (s *site) kill(t *testing.T, _ string) {
	if s.node == nil {
		t.Skip("the processes of somebody else's cluster are out of reach")
	}
	for _, pid := range processesOf(t, "serve") {
		restarts := s.restarts(t.Context(), t)
		s.kills = append(s.kills, time.Now())
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		await(t, time.Minute, "the container was started again", func(ctx context.Context) error {
			if now := s.restarts(ctx, t); now <= restarts {
				return errors.New("it is not")
			}
			return nil
		})
	}
}

// restarts counts the restarts of all containers of the webhook, and is -1
// while one of them isn't ready.
func (s *site) restarts(ctx context.Context, t *testing.T) int32 {
	t.Helper()
	n := int32(0)
	for _, pod := range s.pods(ctx, t) {
		for _, c := range pod.Status.ContainerStatuses {
			if !c.Ready {
				return -1
			}
			n += c.RestartCount
		}
	}
	return n
}

// processesOf finds processes of the sandbox by their first argument.
func processesOf(t *testing.T, argument string) (pids []int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		if args := bytes.Split(line, []byte{0}); len(args) > 1 && string(args[1]) == argument {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, pid)
		}
	}
	if len(pids) == 0 {
		t.Fatalf("find processes with the argument %q: there are none", argument)
	}
	return pids
}

// restartAPIServer stops the API server and starts it again.
func (s *site) restartAPIServer(t *testing.T, _ string) {
	if s.node == nil {
		t.Skip("the API server of somebody else's cluster is not ours to stop")
	}
	if err := s.node.Cluster.StopAPIServer(); err != nil {
		t.Fatal(err)
	}
	if err := s.node.Cluster.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
}
