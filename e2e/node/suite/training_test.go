package suite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// training is what a case of TestTraining writes into testdata/job.yaml.
type training struct {
	Name, Nodes, Command string
	GPUs                 int
	Env                  []string

	Image      string
	LendPython bool
}

const documentedVariables = `exec torchrun --nnodes=$NNODES --nproc_per_node=$NPROC_PER_NODE --node_rank=$NODE_RANK` +
	` --master_addr=$MASTER_ADDR --master_port=$MASTER_PORT /src/allreduce.py`

// trains runs PyTorch's own launcher and a real all-reduce in pods.
func (s *site) trains(t *testing.T) {
	for reason, tc := range map[string]struct {
		job  training
		want []string
	}{
		"two nodes of two processes find each other by the documented variables": {
			job: training{Name: "documented", Nodes: "2", GPUs: 2, Command: documentedVariables},
			want: []string{
				"rank 0 of 4 on node 0 for documented: the sum is 10", "rank 1 of 4 on node 0 for documented: the sum is 10",
				"rank 2 of 4 on node 1 for documented: the sum is 10", "rank 3 of 4 on node 1 for documented: the sum is 10",
			},
		},
		"torchrun needs no flags at all": {
			job: training{Name: "flagless", Nodes: "2", GPUs: 2, Command: "exec torchrun /src/allreduce.py"},
			want: []string{
				"rank 0 of 4 on node 0 for flagless: the sum is 10", "rank 1 of 4 on node 0 for flagless: the sum is 10",
				"rank 2 of 4 on node 1 for flagless: the sum is 10", "rank 3 of 4 on node 1 for flagless: the sum is 10",
			},
		},
		"a Job without GPUs trains on the CPU": {
			job: training{
				Name: "cpu", Nodes: "1", Command: "test $NUM_GPU_PER_NODE = $NUM_GPUS && " + documentedVariables,
				Env: []string{`{name: NUM_GPUS, value: "0"}`},
			},
			want: []string{"rank 0 of 1 on node 0 for cpu: the sum is 1"},
		},
	} {
		t.Run(reason, func(t *testing.T) {
			ns := here.namespace(t)
			here.must(t, "", here.kubectl, "-n", ns, "create", "configmap", "script", "--from-file=testdata/allreduce.py")
			here.must(t, tc.job.manifest(t), here.kubectl, "-n", ns, "apply", "-f", "-")
			here.finished(t, ns, tc.job.Name)
			if diff := cmp.Diff(tc.want, here.sums(t, ns)); diff != "" {
				t.Errorf("sums (-want +got):\n%s", diff)
			}
			here.deleted(t, ns, tc.job)
		})
	}
}

func (j training) manifest(t *testing.T) string {
	t.Helper()
	j.Image, j.LendPython = here.torch, here.torch == torchImage
	var out bytes.Buffer
	if err := template.Must(template.ParseFiles("testdata/job.yaml")).Execute(&out, j); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// finished waits until a Job is complete, and tells what its pods said if it
// has failed.
func (s *site) finished(t *testing.T, ns, name string) {
	t.Helper()
	var failed error
	await(t, 3*time.Minute, "the Job is complete", func(ctx context.Context) error {
		j, err := s.client.BatchV1().Jobs(ns).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, c := range j.Status.Conditions {
			switch {
			case c.Status != corev1.ConditionTrue:
			case c.Type == batchv1.JobComplete:
				return nil
			case c.Type == batchv1.JobFailed:
				failed = fmt.Errorf("the Job failed: %s: %s", c.Reason, c.Message)
				return nil
			}
		}
		return errors.New("it still runs")
	})
	if failed != nil {
		t.Fatalf("%v\n%s", failed, s.logs(t, ns))
	}
}

var sum = regexp.MustCompile(`rank \d+ of .*`)

// sums are the lines that the ranks of all pods have printed, sorted.
func (s *site) sums(t *testing.T, ns string) []string {
	t.Helper()
	lines := sum.FindAllString(s.logs(t, ns), -1)
	slices.Sort(lines)
	return lines
}

func (s *site) logs(t *testing.T, ns string) string {
	t.Helper()
	pods, err := s.client.CoreV1().Pods(ns).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, pod := range pods.Items {
		log, err := s.client.CoreV1().Pods(ns).GetLogs(pod.Name, &corev1.PodLogOptions{}).Stream(t.Context())
		if err != nil {
			fmt.Fprintf(&all, "%s: %v\n", pod.Name, err)
			continue
		}
		text, err := io.ReadAll(io.LimitReader(log, 1<<20))
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
		_ = log.Close() // it was only read
	}
	return all.String()
}

// deleted deletes a Job as people do, and makes sure that its Service, if it
// has one, goes with it.
func (s *site) deleted(t *testing.T, ns string, j training) {
	t.Helper()
	services := s.client.CoreV1().Services(ns)
	_, err := services.Get(t.Context(), j.Name, metav1.GetOptions{})
	if many := j.Nodes != "1"; many != (err == nil) {
		t.Errorf("look for the Service of a Job on %s nodes: %v", j.Nodes, err)
	}
	s.must(t, "", s.kubectl, "-n", ns, "delete", "job", j.Name)
	await(t, time.Minute, "the Service is gone", func(ctx context.Context) error {
		return gone(services.Get(ctx, j.Name, metav1.GetOptions{}))
	})
}
