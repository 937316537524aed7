package suite

import (
	"strings"
	"sync"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func isThere(*corev1.Service) error { return nil }

func generated(j *batchv1.Job) { j.GenerateName, j.Name = j.Name+"-", "" }

func TestAGeneratedNameOnOneNode(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.contains(s.do(manifest("run", generated), "create", "--filename", "-"), "job.batch/run-")
	j := s.only()
	want := oneNode("", 1)
	want["TAO_JOB_ID"] = "@metadata.labels['job-name']"
	checkEnv(t, container(j), want)
}

func TestAGeneratedNameOnTwoNodes(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	create := []string{"create", "--filename", "-"}
	if old() {
		s.refused(manifest("run", generated, nodes("2")), create, "multi-node-version")
		return
	}
	s.do(manifest("run", generated, nodes("2")), create...)
	j := s.only()
	if !strings.HasPrefix(j.Name, "run-") || len(j.Name) != len("run-")+5 {
		t.Errorf("the name is %q", j.Name)
	}
	checkEnv(t, container(j), twoNodes(j.Name, 1))
	checkIndexed(t, j)
	checkRendezvous(t, s.service(j.Name, isThere), j)
}

// A prefix of any length is cut so that pods and Service fit.
func TestALongGeneratedNameOnTwoNodes(t *testing.T) {
	t.Parallel()
	for name, prefix := range map[string]string{"with a letter first": strings.Repeat("a", 70), "with a digit first": strings.Repeat("3", 70)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t)
			create := []string{"create", "--filename", "-"}
			if old() {
				s.refused(manifest(prefix, generated, nodes("2")), create, "multi-node-version")
				return
			}
			s.do(manifest(prefix, generated, nodes("2")), create...)
			j := s.only()
			checkRendezvous(t, s.service(j.Spec.Template.Spec.Subdomain, isThere), j)
		})
	}
}

func TestThreeGeneratedNamesAtOnce(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	edits := []edit{generated}
	if !old() {
		edits = append(edits, nodes("2"))
	}
	var created sync.WaitGroup
	for range 3 {
		created.Go(func() {
			if r := s.kubectl(manifest("run", edits...), create...); r.err != nil {
				t.Error(r.out)
			}
		})
	}
	created.Wait()
	list, err := plane.Client.BatchV1().Jobs(s.name).List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) != 3 {
		t.Fatalf("%d Jobs, want three: %v", len(list.Items), err)
	}
	if old() {
		return
	}
	for i := range list.Items {
		j := &list.Items[i]
		checkEnv(t, container(j), twoNodes(j.Name, 1))
		checkRendezvous(t, s.service(j.Name, isThere), j)
	}
}

func TestANameThatIsTaken(t *testing.T) {
	t.Parallel()
	for shape, edits := range shapes() {
		t.Run(shape, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t)
			s.do(manifest("taken", edits...), create...)
			if len(edits) > 0 {
				s.service("taken", isThere)
			}
			s.refused(manifest("taken", edits...), create, `jobs.batch "taken" already exists`)
		})
	}
}

func TestANameThatCannotCannotBeAServices(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	apply := []string{"apply", "--filename", "-"}
	if old() {
		s.refused(manifest("3d", nodes("2")), apply, "multi-node-version")
		return
	}
	s.do(manifest("3d", nodes("2")), apply...)
	s.service("tao-3d", isThere)
	if got := s.job("3d").Spec.Template.Spec.Subdomain; got != "tao-3d" {
		t.Errorf("the subdomain is %q", got)
	}
}
