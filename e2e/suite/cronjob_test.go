package suite

import (
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestACronJobStartedByHand(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.apply(example(t, "cronjob.yaml"))
	s.do("", "create", "job", "--from=cronjob/weekly", "now")
	j := s.job("now")
	checkEnv(t, container(j), oneNode("now", 1))
	checkInjected(t, j, "tao-creds-weekly")
}

// TestACronJobStartedByTheClock waits for the next minute.
func TestACronJobStartedByTheClock(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	var edits []edit
	if !old() {
		edits = []edit{nodes("2")}
	}
	s.apply(cronJob("minutely", "* * * * *", edits...))
	s.within(90*time.Second, "a Job by the clock", func() error {
		list, err := plane.Client.BatchV1().Jobs(s.name).List(s.Context(), metav1.ListOptions{})
		if err == nil && len(list.Items) == 0 {
			err = errors.New("there is none")
		}
		return err
	})
	j := s.only()
	checkInjected(t, j, "tao-creds-minutely")
	if old() {
		checkEnv(t, container(j), oneNode(j.Name, 1))
	} else {
		checkEnv(t, container(j), twoNodes(j.Name, 1))
		checkRendezvous(t, s.service(j.Name, isThere), j)
	}
	s.do("", "patch", "cronjob", "minutely", "--patch", `{"spec":{"suspend":true}}`)
}

func TestACronJobWithACredentialIsRefusedEarly(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.refused(cronJob("leaky", "@daily", env("HF_TOKEN", canary)), []string{"apply", "--filename", "-"},
		"inline-credentials", "HF_TOKEN", "spec.jobTemplate.spec.template.spec.containers[0].env[0].value", "secretKeyRef")
	s.none("cronjobs")
}
