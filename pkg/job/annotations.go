package job

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Prefix starts every label and annotation of ours.
const Prefix = "tao.nvidia.com/"

// The annotations a user may write on a Job's metadata; all are optional.
const (
	Nodes             = Prefix + "nodes"
	Containers        = Prefix + "containers"
	GPUsPerNode       = Prefix + "gpus-per-node"
	MasterPort        = Prefix + "master-port"
	ShmSize           = Prefix + "shm-size"
	CredentialsSecret = Prefix + "credentials-secret"
	ResultsDir        = Prefix + "results-dir"
	Inputs            = Prefix + "inputs"
	Outputs           = Prefix + "outputs"
)

// Injected is the annotation in which the mutating webhook records what it added.
const Injected = Prefix + "injected"

var known = []string{
	Nodes, Containers, GPUsPerNode, MasterPort, ShmSize, CredentialsSecret,
	ResultsDir, Inputs, Outputs, Injected,
}

// Known tells whether key is an annotation that a user may write, or our record.
func Known(key string) bool { return slices.Contains(known, key) }

// Meant says which annotations there are in place of one under our prefix that
// means nothing. It never quotes the key: people paste credentials there, too.
func Meant(key string) string {
	var words []string
	for _, name := range known {
		if name != Injected {
			words = append(words, strings.TrimPrefix(name, Prefix))
		}
	}
	if word := Nearest(strings.TrimPrefix(key, Prefix), words); word != "" {
		return "is " + Prefix + word + " meant?"
	}
	return "there are only " + strings.Join(words, ", ")
}

// reader collects the errors of one reading, so that a user sees all at once.
type reader struct {
	annotations map[string]string
	errs        field.ErrorList
}

// AnnotationPath returns where an annotation stands in a Job.
func AnnotationPath(key string) *field.Path {
	return field.NewPath("metadata", "annotations").Key(key)
}

// refuse records a bad annotation. The value is left out on purpose: people
// paste credentials into the wrong place.
func (r *reader) refuse(key, format string, args ...any) {
	r.errs = append(r.errs, invalid(AnnotationPath(key), fmt.Sprintf(format, args...)))
}

func invalid(path *field.Path, detail string) *field.Error {
	return &field.Error{Type: field.ErrorTypeInvalid, Field: path.String(), BadValue: field.OmitValueType{}, Detail: detail}
}

// number reads a whole number between low and high, both included, in the one
// way of writing it, since other programs would read 010 or +2 in other ways.
// ok is false when the annotation is not there or was refused.
func (r *reader) number(key string, low, high int32) (n int32, ok bool) {
	raw, there := r.annotations[key]
	if !there {
		return 0, false
	}
	raw = strings.TrimSpace(raw)
	parsed, err := strconv.ParseInt(raw, 10, 32)
	if err != nil || strconv.FormatInt(parsed, 10) != raw {
		r.refuse(key, "want a whole number from %d to %d", low, high)
		return 0, false
	}
	n = int32(parsed)
	if n < low || n > high {
		r.refuse(key, "%d is out of range, want a whole number from %d to %d", n, low, high)
		return 0, false
	}
	return n, true
}

// unknown lists, sorted, the annotations under our prefix that nobody reads,
// most likely mistyped.
func (r *reader) unknown() []string {
	var keys []string
	for key := range r.annotations {
		if strings.HasPrefix(key, Prefix) && !Known(key) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}
