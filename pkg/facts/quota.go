package facts

import (
	"cmp"
	"maps"
	"slices"
	"sort"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/validate"
)

// quota says what the namespace's ResourceQuotas leave for j and its pods; nil
// when it is not known. What a Job that runs takes has been counted already.
func (c *Cluster) quota(j *batchv1.Job, t *job.Training) *validate.Quota {
	if c.Quotas == nil {
		return nil
	}
	quotas, known := c.Quotas(j.Namespace)
	if !known {
		return nil
	}
	digest := &validate.Quota{Want: atOnce(j, t), Exceeded: []validate.ExceededQuota{}, Lacking: []validate.LackingQuota{}}
	if len(quotas) == 0 || j.Status.StartTime != nil {
		return digest
	}
	pod, completed := c.charged(j)
	objects := objectsOf(j, t)
	for _, q := range slices.SortedFunc(slices.Values(quotas), byName) {
		b := newBudget(q)
		if !scoped(q) {
			for _, name := range objects {
				digest.Exceeded = append(digest.Exceeded, b.exceeded(name, one, 1)...)
			}
		}
		if !pod.within(q) {
			continue
		}
		if completed { // else a LimitRange may give what is missing
			digest.Lacking = append(digest.Lacking, pod.lacks(b)...)
		}
		for _, name := range slices.Sorted(maps.Keys(b.hard)) {
			digest.Exceeded = append(digest.Exceeded, b.exceeded(name, pod.asks(name), digest.Want)...)
		}
	}
	return digest
}

func byName(a, b *corev1.ResourceQuota) int { return cmp.Compare(a.Name, b.Name) }

var one = resource.MustParse("1")

// atOnce is how many pods of j run at the same time.
func atOnce(j *batchv1.Job, t *job.Training) int {
	if !t.Array {
		return int(t.Nodes)
	}
	n := ptr.Deref(j.Spec.Parallelism, 1)
	return int(min(n, ptr.Deref(j.Spec.Completions, n)))
}

// objectsOf names, as quotas do, the objects beside pods that come with j. Of
// one that is in the cluster they are there.
func objectsOf(j *batchv1.Job, t *job.Training) []corev1.ResourceName {
	switch {
	case j.ResourceVersion != "":
		return nil
	case t.MultiNode():
		return []corev1.ResourceName{"count/jobs.batch", "count/services", corev1.ResourceServices}
	}
	return []corev1.ResourceName{"count/jobs.batch"}
}

// budget is a ResourceQuota as the API server enforces it.
type budget struct {
	quota      string
	hard, used corev1.ResourceList
}

// newBudget reads q. The API server goes by the status; one that was written
// by hand has none.
func newBudget(q *corev1.ResourceQuota) *budget {
	b := &budget{quota: q.Name, hard: q.Status.Hard, used: q.Status.Used}
	if b.hard == nil {
		b.hard = q.Spec.Hard
	}
	return b
}

// exceeded returns an entry if b does not leave room for want times each of a
// resource, else none.
func (b *budget) exceeded(name corev1.ResourceName, each resource.Quantity, want int) []validate.ExceededQuota {
	hard, limited := b.hard[name]
	if !limited || each.Sign() <= 0 {
		return nil
	}
	used := b.used[name]
	fit := sort.Search(want, func(n int) bool {
		sum := times(each, n+1)
		sum.Add(used)
		return sum.Cmp(hard) > 0
	})
	if fit == want {
		return nil
	}
	asked := times(each, want)
	return []validate.ExceededQuota{{
		Quota: b.quota, Resource: string(name), Pods: fit,
		Hard: hard.String(), Used: used.String(), Asked: asked.String(),
	}}
}

func times(each resource.Quantity, n int) resource.Quantity {
	product := each.DeepCopy()
	product.Mul(int64(n))
	return product
}
