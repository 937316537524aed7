package rendezvous_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/job/jobtest"
	"github.com/taojob/taojob/pkg/rendezvous"
	"github.com/taojob/taojob/pkg/validate"
)

// expected is the Service of a Job on two nodes.
func expected(name, jobName string, port int32) *corev1.Service {
	return &corev1.Service{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "default", Labels: map[string]string{"app.kubernetes.io/managed-by": "taojob"},
		},
		Spec: corev1.ServiceSpec{
			ClusterIP: "None", PublishNotReadyAddresses: true, Selector: map[string]string{"job-name": jobName},
			Ports: []corev1.ServicePort{{Name: "rendezvous", Port: port, Protocol: "TCP"}},
		},
	}
}

func uid(j *batchv1.Job) { j.UID = "1234" }

func owned(s *corev1.Service) *corev1.Service {
	s = s.DeepCopy()
	s.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "batch/v1", Kind: "Job", Name: s.Spec.Selector["job-name"], UID: "1234",
		Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true),
	}}
	return s
}

func TestService(t *testing.T) {
	two := jobtest.New("train").Annotate(job.Nodes, "2")
	subdomain := func(p *corev1.PodSpec) { p.Subdomain = "meeting" }
	for name, tc := range map[string]struct {
		in   jobtest.Job
		want *corev1.Service
	}{
		"one node needs none":                            {jobtest.New("train"), nil},
		"an array of runs needs none":                    {jobtest.New("train").Indexed(4, 2), nil},
		"two nodes have one named as the Job":            {two, expected("train", "train", 29500)},
		"it has the Job's port":                          {two.Annotate(job.MasterPort, "1234"), expected("train", "train", 1234)},
		"it has the subdomain's name, if there is one":   {two.Pod(subdomain), expected("meeting", "train", 29500)},
		"a name that begins with a digit gets a prefix":  {jobtest.New("3d").Annotate(job.Nodes, "2"), expected("tao-3d", "3d", 29500)},
		"a Job that is stored owns it":                   {two.With(uid), owned(expected("train", "train", 29500))},
		"an Indexed Job that runs at once needs one too": {jobtest.New("train").Indexed(4, 4), expected("train", "train", 29500)},
	} {
		t.Run(name, func(t *testing.T) {
			j := tc.in.Obj()
			training, errs := job.Read(j)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			if diff := cmp.Diff(tc.want, rendezvous.Service(j, training)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestInspect(t *testing.T) {
	ours := owned(expected("train", "train", 29500))
	with := func(change func(*corev1.Service)) *corev1.Service {
		s := expected("train", "train", 29500)
		change(s)
		return s
	}
	stored := jobtest.New("train").Annotate(job.Nodes, "2").With(uid)
	labelled := stored.With(func(j *batchv1.Job) { j.Spec.Template.Labels = map[string]string{"app": "dino"} })
	for name, tc := range map[string]struct {
		in   *corev1.Service
		job  jobtest.Job
		want validate.Service
	}{
		"a free name":                             {nil, stored, validate.Service{}},
		"the Job's own":                           {ours, stored, validate.Service{Exists: true, Ours: true, Headless: true, SelectsJob: true}},
		"that of a Job that is not stored yet":    {ours, jobtest.New("train"), validate.Service{Exists: true, Headless: true, SelectsJob: true}},
		"that of an earlier Job of the name":      {ours, stored.With(func(j *batchv1.Job) { j.UID = "5678" }), validate.Service{Exists: true, Headless: true, SelectsJob: true}},
		"another's that serves as well":           {with(func(*corev1.Service) {}), stored, validate.Service{Exists: true, Headless: true, SelectsJob: true}},
		"another's with an address":               {with(func(s *corev1.Service) { s.Spec.ClusterIP = "10.0.0.1" }), stored, validate.Service{Exists: true, SelectsJob: true}},
		"another's that selects other pods":       {with(func(s *corev1.Service) { s.Spec.Selector["job-name"] = "other" }), stored, validate.Service{Exists: true, Headless: true}},
		"one that selects more narrowly":          {with(func(s *corev1.Service) { s.Spec.Selector["app"] = "x" }), stored, validate.Service{Exists: true, Headless: true}},
		"one that selects by labels of the pods":  {with(func(s *corev1.Service) { s.Spec.Selector = map[string]string{"app": "dino"} }), labelled, validate.Service{Exists: true, Headless: true, SelectsJob: true}},
		"one that selects by the newer label":     {with(func(s *corev1.Service) { s.Spec.Selector = map[string]string{"batch.kubernetes.io/job-name": "train"} }), stored, validate.Service{Exists: true, Headless: true, SelectsJob: true}},
		"pods that are selected by hand lack it":  {with(func(*corev1.Service) {}), stored.With(func(j *batchv1.Job) { j.Spec.ManualSelector = new(true) }), validate.Service{Exists: true, Headless: true}},
		"one whose endpoints are written by hand": {with(func(s *corev1.Service) { s.Spec.Selector = nil }), stored, validate.Service{Exists: true, Headless: true}},
		"one that only owns, and does not control": {with(func(s *corev1.Service) {
			s.OwnerReferences = []metav1.OwnerReference{{Kind: "Job", Name: "train", UID: "1234"}}
		}), stored, validate.Service{Exists: true, Headless: true, SelectsJob: true}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(&tc.want, rendezvous.Inspect(tc.in, tc.job.Obj())); diff != "" {
				t.Error(diff)
			}
		})
	}
}
