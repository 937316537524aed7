package suite

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestTheServiceIsKeptAsItShouldBe(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	if old() {
		s.refused(manifest("run", nodes("2")), create, "multi-node-version")
		return
	}
	s.do(manifest("run", nodes("2")), create...)
	j := s.job("run")
	first := s.service("run", isThere)
	for name, patch := range map[string]string{
		"another selector":      `{"spec":{"selector":{"job-name":"other"}}}`,
		"only ready pods":       `{"spec":{"publishNotReadyAddresses":false}}`,
		"another port":          `{"spec":{"ports":[{"name":"web","port":80}]}}`,
		"no label of its maker": `{"metadata":{"labels":null}}`,
	} {
		s.do("", "patch", "service", "run", "--type", "merge", "--patch", patch)
		s.service("run", func(got *corev1.Service) error {
			if got.ResourceVersion == first.ResourceVersion {
				return errors.New("the patch is not there yet")
			}
			if got.Spec.Selector["job-name"] != "run" || !got.Spec.PublishNotReadyAddresses || len(got.Spec.Ports) != 1 ||
				got.Spec.Ports[0].Port != 29500 || len(got.Labels) == 0 {
				return fmt.Errorf("it still has %s: %+v", name, got.Spec)
			}
			return nil
		})
	}
	s.do("", "delete", "service", "run")
	again := s.service("run", func(got *corev1.Service) error {
		if got.UID == first.UID {
			return errors.New("it is still the first one")
		}
		return nil
	})
	checkRendezvous(t, again, j)
}

// TestAServiceInTheWayOfARunningJob is about one that no admission could
// refuse, since the Job was labelled after it had been created.
func TestAServiceInTheWayOfARunningJob(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.do("", "create", "service", "clusterip", "run", "--tcp=80")
	s.do(manifest("run", nodes("2"), unlabelled), create...)
	s.do("", "label", "job", "run", "tao.nvidia.com/job=true")
	s.eventually("an Event about the Service", func() error {
		if out := s.do("", "get", "events", "--output", "wide"); !strings.Contains(out, `Service "run" is not this Job's`) {
			return errors.New(out)
		}
		return nil
	})
	s.contains(s.do("", "describe", "job", "run"), "ServiceInTheWay")
	if theirs := s.service("run", isThere); theirs.Spec.ClusterIP == corev1.ClusterIPNone || len(theirs.OwnerReferences) > 0 {
		t.Errorf("the Service was changed: %+v", theirs)
	}
	s.do("", "delete", "service", "run")
	checkRendezvous(t, s.service("run", isThere), s.job("run"))
}
