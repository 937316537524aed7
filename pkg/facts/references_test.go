package facts

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/taojob/taojob/pkg/job/jobtest"
	"github.com/taojob/taojob/pkg/validate"
)

// only says that "there" is there, in the Jobs' namespace.
func only(namespace, name string) (found, known bool) {
	return namespace == "default" && name == "there", true
}

func unknown(string, string) (found, known bool) { return false, false }

func claim(b jobtest.Job, name string) jobtest.Job {
	return b.Pod(func(p *corev1.PodSpec) {
		p.Volumes = append(p.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name},
		}})
	})
}

func TestClaimsThatAreMissing(t *testing.T) {
	bare := jobtest.New("dino")
	ephemeral := bare.Pod(func(p *corev1.PodSpec) {
		p.Volumes = []corev1.Volume{{Name: "own", VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}}}
	})
	for name, tc := range map[string]struct {
		job  jobtest.Job
		tell func(string, string) (bool, bool)
		want *validate.References
	}{
		"none is named":                           {bare, only, &validate.References{Missing: []string{}}},
		"one that is there":                       {claim(bare, "there"), only, &validate.References{Missing: []string{}}},
		"those that are not, each once":           {claim(claim(claim(claim(bare, "z"), "there"), "a"), "z"), only, &validate.References{Missing: []string{"a", "z"}}},
		"an ephemeral one comes with the pod":     {ephemeral, only, &validate.References{Missing: []string{}}},
		"nobody can tell":                         {claim(bare, "a"), nil, nil},
		"the one who tells does not know of them": {claim(bare, "a"), unknown, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, (&Cluster{Claim: tc.tell}).claims(tc.job.Obj())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPullSecretsThatAreMissing(t *testing.T) {
	bare := jobtest.New("dino")
	naming := func(names ...string) jobtest.Job {
		return bare.Pod(func(p *corev1.PodSpec) { p.ImagePullSecrets = references(names...) })
	}
	elsewhere := bare.Trainer(func(c *corev1.Container) { c.Image = "example.com/nvcr.io/tao" })
	accounts := map[string]*corev1.ServiceAccount{
		"default": {}, "puller": {ImagePullSecrets: references("there")}, "stale": {ImagePullSecrets: references("gone")},
	}
	as := func(b jobtest.Job, account string) jobtest.Job {
		return b.Pod(func(p *corev1.PodSpec) { p.ServiceAccountName = account })
	}
	missing := func(names ...string) *validate.PullSecrets {
		return &validate.PullSecrets{References: validate.References{Missing: append([]string{}, names...)}}
	}
	of := func(s *validate.PullSecrets, account string) *validate.PullSecrets { s.Account = account; return s }
	known := &Cluster{Secret: only, Account: func(_, name string) (*corev1.ServiceAccount, bool) { return accounts[name], true }}
	for name, tc := range map[string]struct {
		job     jobtest.Job
		cluster *Cluster
		want    *validate.PullSecrets
	}{
		"one that is there":                   {naming("there"), known, missing()},
		"one that is not":                     {naming("there", "gone"), known, missing("gone")},
		"the account's that is there":         {as(bare, "puller"), known, of(missing(), "puller")},
		"the account's that is not":           {as(bare, "stale"), known, of(missing("gone"), "stale")},
		"one's own counts, not the account's": {as(naming("there"), "stale"), known, missing()},
		"none at all":                         {bare, known, &validate.PullSecrets{References: validate.References{Missing: []string{}}, None: true, Account: "default"}},
		"another registry wants none":         {elsewhere, known, nil},
		"an init container's image counts": {elsewhere.Pod(func(p *corev1.PodSpec) {
			p.InitContainers = []corev1.Container{{Image: "nvcr.io/x"}}
			p.ImagePullSecrets = references("gone")
		}), known, missing("gone")},
		"an account that is not there":   {as(bare, "nobody"), known, nil},
		"accounts that are not known":    {bare, &Cluster{Secret: only}, nil},
		"Secrets that are not known":     {naming("gone"), &Cluster{Account: known.Account}, nil},
		"Secrets that may not be listed": {naming("gone"), &Cluster{Secret: unknown}, nil},
		"none at all needs no Secrets":   {bare, &Cluster{Account: known.Account}, &validate.PullSecrets{References: validate.References{Missing: []string{}}, None: true, Account: "default"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.cluster.pullSecrets(tc.job.Obj())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func references(names ...string) []corev1.LocalObjectReference {
	var all []corev1.LocalObjectReference
	for _, name := range names {
		all = append(all, corev1.LocalObjectReference{Name: name})
	}
	return all
}
