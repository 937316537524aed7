package job

import (
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Record is what the mutating webhook says, in the annotation Injected, that
// it added. It is how a later pass tells our fields from the author's.
type Record struct {
	// Name is the Job's at the time of injection, empty when the API server had
	// yet to make one.
	Name string `json:"name,omitempty"`
	// Job and Pod name fields of the Job's spec and of its pod's.
	Job []string `json:"job,omitempty"`
	Pod []string `json:"pod,omitempty"`
	// Containers maps a training container to what it got; each training
	// container has an entry, an empty one if it got nothing.
	Containers map[string][]string `json:"containers,omitempty"`
}

// ReadRecord returns the record in annotations, empty when there is none or
// when somebody wrote something else there.
func ReadRecord(annotations map[string]string) Record {
	var r Record
	if json.Unmarshal([]byte(annotations[Injected]), &r) != nil {
		return Record{}
	}
	return r
}

// String is the annotation's value: JSON with sorted keys.
func (r Record) String() string {
	raw, err := json.Marshal(r)
	if err != nil { // strings, slices and maps of them always marshal
		panic(err)
	}
	return string(raw)
}

// copied refuses a record made for another Job: the injected addresses would
// be those of that Job, and the run would wait for it for ever.
func (r *reader) copied(name string) {
	if was := ReadRecord(r.annotations).Name; was != "" && was != name {
		r.refuse(Injected, "was written for a Job of another name: start from the manifest as it was before injection")
	}
}

// recorded returns the training containers of an injected Job, in pod order,
// so that a sidecar which another webhook put in front is not taken for one.
// It is nil when nothing was recorded or a container is gone.
func recorded(annotations map[string]string, pod *corev1.PodSpec) []string {
	was := ReadRecord(annotations).Containers
	var names []string
	for i := range pod.Containers {
		name := pod.Containers[i].Name
		if _, ok := was[name]; ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) != len(was) {
		return nil
	}
	return names
}
