package mutate

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/taojob/taojob/pkg/job"
)

// leastMemory is what no process starts with less of: runtimes want some MiB.
var leastMemory = resource.MustParse("1Mi")

// tinyMemory refuses a memory limit whose unit was forgotten or mistaken, as in
// 64 or 1500m, which is one byte and a half. The API server takes it, but no
// container starts with it, and half of it would be no size for /dev/shm.
func tinyMemory(pod *corev1.PodSpec, t *job.Training) field.ErrorList {
	spec := field.NewPath("spec", "template", "spec")
	var errs field.ErrorList
	check := func(resources *corev1.ResourceRequirements, path *field.Path) {
		limit := resources.Limits[corev1.ResourceMemory]
		if limit.Sign() > 0 && limit.Cmp(leastMemory) < 0 {
			errs = append(errs, refused(path.Child("resources", "limits").Key(string(corev1.ResourceMemory)),
				"is less than 1Mi, with which no container starts: want a size with its unit, such as 64Gi"))
		}
	}
	if pod.Resources != nil {
		check(pod.Resources, spec)
	}
	for i := range pod.Containers {
		for _, c := range t.Trainers(pod) {
			if c == &pod.Containers[i] {
				check(&c.Resources, spec.Child("containers").Index(i))
			}
		}
	}
	return errs
}
