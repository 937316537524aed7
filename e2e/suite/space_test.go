package suite

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// patience is how long a test waits for what should come within a second or
// two: the machine may be busy.
const patience = 30 * time.Second

// space is a namespace of one test, and the clients that write there. It stays
// when the test ends, since the cluster does not.
type space struct {
	*testing.T
	name string
}

var spaces atomic.Int32

// newSpace makes a namespace, with labels in the form key=value.
func newSpace(t *testing.T, labels ...string) *space {
	t.Helper()
	s := &space{T: t, name: fmt.Sprintf("e2e-%d", spaces.Add(1))}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.name, Labels: map[string]string{}}}
	for _, label := range labels {
		key, value, _ := strings.Cut(label, "=")
		ns.Labels[key] = value
	}
	if _, err := plane.Client.CoreV1().Namespaces().Create(t.Context(), ns, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	// The Job controller can make no pods before the account is there.
	s.eventually("the namespace has an account for pods", func() error {
		_, err := plane.Client.CoreV1().ServiceAccounts(s.name).Get(s.Context(), "default", metav1.GetOptions{})
		return err
	})
	return s
}

// result is how a client ended: all it printed, and whether it was content.
type result struct {
	out string
	err error
}

// run runs a client with the manifest as its input.
func (s *space) run(manifest, binary string, args ...string) result {
	s.Helper()
	cmd := exec.CommandContext(s.Context(), binary, args...)
	cmd.Env = append(os.Environ(), "HOME="+home, "KUBECONFIG="+plane.Kubeconfig, "HELM_NAMESPACE="+s.name)
	cmd.Stdin = strings.NewReader(manifest)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if strings.Contains(out.String(), canary) {
		s.Errorf("%v prints the credential", args)
	}
	return result{out.String(), err}
}

func (s *space) kubectl(manifest string, args ...string) result {
	s.Helper()
	return s.run(manifest, plane.Assets.Kubectl(), append([]string{"--namespace", s.name, "--cache-dir", home + "/kubectl"}, args...)...)
}

// do wants kubectl to succeed, and returns what it printed.
func (s *space) do(manifest string, args ...string) string {
	s.Helper()
	r := s.kubectl(manifest, args...)
	if r.err != nil {
		s.Fatalf("kubectl %v: %v\n%s", args, r.err, r.out)
	}
	return r.out
}

// refused wants kubectl to fail with a message that has all the texts.
func (s *space) refused(manifest string, args []string, texts ...string) string {
	s.Helper()
	r := s.kubectl(manifest, args...)
	if r.err == nil {
		s.Fatalf("kubectl %v succeeds: %s", args, r.out)
	}
	s.contains(r.out, texts...)
	return r.out
}

func (s *space) contains(text string, wanted ...string) {
	s.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			s.Errorf("%q is missing in:\n%s", want, text)
		}
	}
}

func (s *space) lacks(text string, unwanted ...string) {
	s.Helper()
	for _, bad := range unwanted {
		if strings.Contains(text, bad) {
			s.Errorf("%q should not be in:\n%s", bad, text)
		}
	}
}

// job is what the cluster has stored.
func (s *space) job(name string) *batchv1.Job {
	s.Helper()
	j, err := plane.Client.BatchV1().Jobs(s.name).Get(s.Context(), name, metav1.GetOptions{})
	if err != nil {
		s.Fatal(err)
	}
	return j
}

// gone is an error as long as the Job is there.
func (s *space) gone(name string) error {
	_, err := plane.Client.BatchV1().Jobs(s.name).Get(s.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return errors.Join(errors.New("it is still there"), err)
}

// only is the one Job of the namespace.
func (s *space) only() *batchv1.Job {
	s.Helper()
	list, err := plane.Client.BatchV1().Jobs(s.name).List(s.Context(), metav1.ListOptions{})
	if err != nil {
		s.Fatal(err)
	}
	if len(list.Items) != 1 {
		s.Fatalf("%d Jobs, want one", len(list.Items))
	}
	return &list.Items[0]
}

// service waits for a Service to be as a test wants it.
func (s *space) service(name string, holds func(*corev1.Service) error) (found *corev1.Service) {
	s.Helper()
	s.eventually("Service "+name, func() (err error) {
		if found, err = plane.Client.CoreV1().Services(s.name).Get(s.Context(), name, metav1.GetOptions{}); err != nil {
			return err
		}
		return holds(found)
	})
	return found
}

// pods waits until the Job controller has made n pods, and each is as a test
// wants it.
func (s *space) pods(n int, holds func(*corev1.Pod) error) (found []corev1.Pod) {
	s.Helper()
	s.eventually(fmt.Sprintf("%d pods", n), func() error {
		list, err := plane.Client.CoreV1().Pods(s.name).List(s.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		if found = list.Items; len(found) != n {
			return fmt.Errorf("there are %d", len(found))
		}
		for i := range found {
			if err := holds(&found[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return found
}

// none waits until the namespace has nothing left of a kind.
func (s *space) none(kinds string) {
	s.Helper()
	s.eventually("the end of "+kinds, func() error {
		if out := s.do("", "get", kinds, "--output", "name"); out != "" && !strings.HasPrefix(out, "No resources found") {
			return fmt.Errorf("there still is %s", out)
		}
		return nil
	})
}

func (s *space) eventually(what string, holds func() error) {
	s.Helper()
	s.within(patience, what, holds)
}

func (s *space) within(limit time.Duration, what string, holds func() error) {
	s.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(limit)
	for {
		err := holds()
		if err == nil {
			return
		}
		select {
		case <-deadline:
			s.Fatalf("%s: not within %s: %v", what, limit, err)
		case <-tick.C:
		}
	}
}
