package doctor

import (
	"errors"
	"fmt"
	"strings"

	"github.com/taojob/taojob/pkg/job"
)

// injection tells whether a labelled Job really is made ready.
func injection(s *Snapshot) []Finding {
	switch {
	case s.homeless():
		return nil // said of the namespace
	case s.MayCreate.Err != nil:
		return missing("create selfsubjectaccessreviews", s.MayCreate.Err)
	case errors.Is(s.Good.Err, errNotAsked):
		return []Finding{{Status: Unknown, Message: fmt.Sprintf("you may not create Jobs in %s, so none was tried", s.Namespace),
			Fix: "name another namespace by --namespace"}}
	case s.Good.Err != nil:
		return []Finding{fail("read what the error says; a webhook that does not answer has its reason in its pods' logs",
			"a labelled Job without any fault is refused in %s: %v", s.Namespace, s.Good.Err)}
	case s.Good.Value.Annotations[job.Injected] == "":
		return []Finding{fail(installFix, "a labelled Job gets nothing injected in %s", s.Namespace)}
	}
	return []Finding{ok("a labelled Job gets %d variables, tried in %s", len(s.Good.Value.Spec.Template.Spec.Containers[0].Env), s.Namespace)}
}

// refusal tells whether a Job with a credential really is refused.
func refusal(s *Snapshot) []Finding {
	switch {
	case errors.Is(s.Bad.Err, errNotAsked):
		return nil // said of injection already
	case s.Bad.Err == nil:
		return []Finding{fail("see that the validating webhook is registered, and inline-credentials is not off for this namespace",
			"a Job with a credential in its manifest is taken in %s", s.Namespace)}
	case !strings.Contains(s.Bad.Err.Error(), "inline-credentials"):
		return []Finding{{Status: Unknown, Message: "a Job with a credential is refused, but for another reason"}}
	}
	return []Finding{ok("a Job with a credential in its manifest is refused")}
}
