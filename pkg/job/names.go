package job

import (
	"cmp"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// servicePrefix makes a Service name of a Job name that starts with a digit:
// a Service name is a DNS-1035 label, a Job name need not be.
const servicePrefix = "tao-"

// Credentials names the Secret whose keys become environment variables.
type Credentials struct {
	// Secret is the name; empty for none.
	Secret string
	// Optional lets the pod start without the Secret: true for the default name
	// only, since a Secret that was named is meant.
	Optional bool
}

// addresses returns the headless Service's name and rank 0's address.
func addresses(t *Training, subdomain string) (service, master string) {
	switch {
	case !t.MultiNode():
		return "", "localhost"
	case subdomain != "":
		service = subdomain
	default:
		service = ServiceName(t.Name)
	}
	return service, t.Name + "-0." + service
}

// ServiceName is the name of the headless Service of a Job that names none; it
// is empty while the Job has no name.
func ServiceName(job string) string {
	if job != "" && job[0] >= '0' && job[0] <= '9' {
		return servicePrefix + job
	}
	return job
}

// credentials is the annotation, or tao-creds-<job>. The Jobs of a CronJob
// share tao-creds-<cronjob>, since nobody knows their names beforehand; for
// the same reason a Job with a generated name has no default.
func (r *reader) credentials(j *batchv1.Job) Credentials {
	name, ok := r.annotations[CredentialsSecret]
	name = strings.TrimSpace(name)
	switch {
	case ok && name == "none":
		return Credentials{}
	case ok:
		if len(validation.IsDNS1123Subdomain(name)) > 0 {
			r.refuse(CredentialsSecret, "want the name of a Secret in the Job's namespace, or none")
			return Credentials{}
		}
		return Credentials{Secret: name}
	case j.GenerateName != "":
		return Credentials{}
	}
	owner := cmp.Or(cronJob(j), j.Name)
	if owner == "" {
		return Credentials{}
	}
	return Credentials{Secret: "tao-creds-" + owner, Optional: true}
}

// cronJob is the CronJob that j was made from, empty for none. A Job that
// kubectl made from one by hand is its own, too, though older versions of
// kubectl don't call it the controller.
func cronJob(j *batchv1.Job) string {
	for _, ref := range j.OwnerReferences {
		if ref.Kind == "CronJob" {
			return ref.Name
		}
	}
	return ""
}
