package doctor

import (
	"context"
	"fmt"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// right is something that the webhook has to be allowed in the whole cluster.
type right struct{ verb, group, resource string }

func (r right) String() string {
	if r.group == "" {
		return r.verb + " " + r.resource
	}
	return r.verb + " " + r.resource + "." + r.group
}

// rights are those without which Jobs are judged or served badly: the chart's
// role has them all.
var rights = []right{
	{"list", "", "nodes"}, {"watch", "", "nodes"},
	{"list", "", "services"}, {"watch", "", "services"}, {"create", "", "services"}, {"patch", "", "services"},
	{"list", "", "resourcequotas"}, {"watch", "", "resourcequotas"}, {"list", "", "limitranges"}, {"watch", "", "limitranges"},
	{"list", "", "persistentvolumeclaims"}, {"watch", "", "persistentvolumeclaims"}, {"list", "", "serviceaccounts"}, {"watch", "", "serviceaccounts"},
	{"list", "batch", "jobs"}, {"watch", "batch", "jobs"},
}

// askRights asks what the webhook's account may not do. The account is named as
// its Service is, which is how the chart does it.
func askRights(ctx context.Context, client kubernetes.Interface, s *Snapshot) error {
	service := s.service()
	if service == nil {
		return s.Lacking.set(nil, errNotAsked)
	}
	var denied []right
	for _, r := range rights {
		review, err := client.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
			Spec: authorizationv1.SubjectAccessReviewSpec{
				User:               fmt.Sprintf("system:serviceaccount:%s:%s", service.Namespace, service.Name),
				Groups:             []string{"system:serviceaccounts", "system:serviceaccounts:" + service.Namespace, "system:authenticated"},
				ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: r.verb, Group: r.group, Resource: r.resource},
			},
		}, metav1.CreateOptions{})
		if err != nil {
			return s.Lacking.set(nil, err)
		}
		if !review.Status.Allowed {
			denied = append(denied, r)
		}
	}
	return s.Lacking.set(denied, nil)
}

// permissions tells whether the webhook may do what it has to.
func permissions(s *Snapshot) []Finding {
	service := s.service()
	switch {
	case service == nil:
		return nil // said of the webhooks already
	case s.Lacking.Err != nil:
		return missing("create subjectaccessreviews", s.Lacking.Err)
	case len(s.Lacking.Value) > 0:
		var all []string
		for _, r := range s.Lacking.Value {
			all = append(all, r.String())
		}
		return []Finding{fail("upgrade the chart, which makes the role, or bind it to the account again",
			"the service account %s/%s may not %s", service.Namespace, service.Name, strings.Join(all, ", "))}
	}
	return []Finding{ok("the service account %s/%s may do what it has to", service.Namespace, service.Name)}
}
