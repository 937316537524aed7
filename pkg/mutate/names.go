package mutate

import (
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/taojob/taojob/pkg/job"
)

// names refuses a multi-node Job whose pods could not be found by name. The
// rule multi-node-shape says the same, but the API server looks at an Indexed
// Job before it asks for rules, and says less: "invalid DNS label".
func names(t *job.Training) field.ErrorList {
	if !t.MultiNode() {
		return nil
	}
	path, name := field.NewPath("metadata", "name"), t.Name
	if name == "" && t.GenerateName != "" { // whatever its length: it is cut
		path, name = field.NewPath("metadata", "generateName"), cut(t, sampleEnd)
	}
	if longest := room(t, name); len(name) > longest {
		return field.ErrorList{refused(path, fmt.Sprintf("has %d characters, and on %d nodes at most %d fit: pods are found by <name>%s", len(name), t.Nodes, longest, lastIndex(t)))}
	}
	if name != "" && len(validation.IsDNS1123Label(name)) > 0 {
		return field.ErrorList{refused(path, "on several nodes pods are found by it: use only lower-case letters, digits and dashes")}
	}
	return nil
}

// room is the length up to which a name fits: the host name of the last pod and
// the Service's name are DNS labels.
func room(t *job.Training, name string) int {
	longest := validation.DNS1123LabelMaxLength - len(lastIndex(t))
	if ownSubdomain(t) {
		return longest
	}
	return min(longest, validation.DNS1123LabelMaxLength-len(job.ServiceName(name))+len(name))
}

func lastIndex(t *job.Training) string { return "-" + strconv.Itoa(int(t.Nodes-1)) }

func refused(path *field.Path, detail string) *field.Error {
	return &field.Error{Type: field.ErrorTypeInvalid, Field: path.String(), BadValue: field.OmitValueType{}, Detail: detail}
}
