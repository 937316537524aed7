package mutate

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/taojob/taojob/pkg/job"
)

// names refuses a multi-node Job whose pods could not be found by name. The
// rule multi-node-shape says the same, but the API server looks at an Indexed
// Job before it asks for rules, and says less: "invalid DNS label".
func names(t *job.Training) field.ErrorList {
	if !t.MultiNode() || t.Name == "" {
		return nil
	}
	last := "-" + strconv.Itoa(int(t.Nodes-1))
	room := validation.DNS1123LabelMaxLength - len(last)
	if strings.HasSuffix(t.Service, t.Name) { // else the author's subdomain names the Service
		room = min(room, validation.DNS1123LabelMaxLength-len(t.Service)+len(t.Name))
	}
	path := field.NewPath("metadata", "name")
	if len(t.Name) > room {
		return field.ErrorList{refused(path, fmt.Sprintf("has %d characters, and on %d nodes at most %d fit: pods are found by <name>%s", len(t.Name), t.Nodes, room, last))}
	}
	if len(validation.IsDNS1123Label(t.Name)) > 0 {
		return field.ErrorList{refused(path, "on several nodes pods are found by it: use only lower-case letters, digits and dashes")}
	}
	return nil
}

func refused(path *field.Path, detail string) *field.Error {
	return &field.Error{Type: field.ErrorTypeInvalid, Field: path.String(), BadValue: field.OmitValueType{}, Detail: detail}
}
