package audit

import (
	"reflect"
	"strings"
	"sync"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/taojob/taojob/pkg/job"
)

// words are the keys that may be printed: the fields of what is read, and keys
// of common knowledge. Any other is its author's, who may have pasted a
// credential there.
var words = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{"items": true, job.Label: true}
	seen := map[reflect.Type]bool{}
	for _, object := range []any{batchv1.CronJob{}, batchv1.Job{}, corev1.Node{}, corev1.Service{}} {
		fieldWords(reflect.TypeOf(object), all, seen)
	}
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage, "nvidia.com/gpu"} {
		all[string(name)] = true
	}
	for _, name := range []string{
		job.Nodes, job.Containers, job.GPUsPerNode, job.MasterPort, job.ShmSize, job.CredentialsSecret,
		job.ResultsDir, job.Inputs, job.Outputs, job.Injected,
	} {
		all[name] = true
	}
	return all
})

// fieldWords adds the names of the fields of t and of all below it.
func fieldWords(t reflect.Type, all map[string]bool, seen map[reflect.Type]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		fieldWords(t.Elem(), all, seen)
		return
	case reflect.Struct:
	default:
		return
	}
	if seen[t] {
		return
	}
	seen[t] = true
	for i := range t.NumField() {
		if name, _ := fieldName(t.Field(i)); name != "" {
			all[name] = true
		}
		fieldWords(t.Field(i).Type, all, seen)
	}
}

// fieldName is the key of a field in JSON; "" for one that has none. Inline
// tells that what is in the field stands beside it.
func fieldName(f reflect.StructField) (name string, inline bool) {
	name, _, _ = strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" {
		return "", false
	}
	return name, name == "" && f.Anonymous
}
