package facts

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/job/jobtest"
	"github.com/taojob/taojob/pkg/validate"
)

// list makes a ResourceList of names and quantities.
func list(pairs ...string) corev1.ResourceList {
	all := corev1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		all[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return all
}

// quota is one named "q" with a status.
func quota(hard, used corev1.ResourceList, changes ...func(*corev1.ResourceQuota)) []*corev1.ResourceQuota {
	q := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "q"}, Status: corev1.ResourceQuotaStatus{Hard: hard, Used: used}}
	for _, change := range changes {
		change(q)
	}
	return []*corev1.ResourceQuota{q}
}

func scope(names ...corev1.ResourceQuotaScope) func(*corev1.ResourceQuota) {
	return func(q *corev1.ResourceQuota) { q.Spec.Scopes = names }
}

func priority(operator corev1.ScopeSelectorOperator, classes ...string) func(*corev1.ResourceQuota) {
	return func(q *corev1.ResourceQuota) {
		q.Spec.ScopeSelector = &corev1.ScopeSelector{MatchExpressions: []corev1.ScopedResourceSelectorRequirement{
			{ScopeName: corev1.ResourceQuotaScopePriorityClass, Operator: operator, Values: classes},
		}}
	}
}

// digest is what is known of the quotas, with no LimitRange in the namespace.
func digest(t *testing.T, b jobtest.Job, quotas []*corev1.ResourceQuota, ranges ...*corev1.LimitRange) *validate.Quota {
	t.Helper()
	j := b.Obj()
	training, errs := job.Read(j)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	c := &Cluster{
		Quotas:      func(string) ([]*corev1.ResourceQuota, bool) { return quotas, true },
		LimitRanges: func(string) ([]*corev1.LimitRange, bool) { return ranges, true },
	}
	return c.quota(j, training)
}

func TestWhatQuotasLeave(t *testing.T) {
	const gpu = "requests.nvidia.com/gpu"
	two := jobtest.New("dino").Annotate(job.Nodes, "2").GPUs("8").Limit("cpu", "1500m").Limit("memory", "1Gi")
	exceeded := func(resource, hard, used, asked string, pods int) []validate.ExceededQuota {
		return []validate.ExceededQuota{{Quota: "q", Resource: resource, Hard: hard, Used: used, Asked: asked, Pods: pods}}
	}
	for name, tc := range map[string]struct {
		job    jobtest.Job
		quotas []*corev1.ResourceQuota
		want   []validate.ExceededQuota
	}{
		"no quota limits nothing":       {two, nil, nil},
		"just enough is enough":         {two, quota(list(gpu, "20"), list(gpu, "4")), nil},
		"one pod of two fits":           {two, quota(list(gpu, "19"), list(gpu, "4")), exceeded(gpu, "19", "4", "16", 1)},
		"none fits":                     {two, quota(list(gpu, "4"), list(gpu, "4")), exceeded(gpu, "4", "4", "16", 0)},
		"more is used than there is":    {two, quota(list(gpu, "4"), list(gpu, "8")), exceeded(gpu, "4", "8", "16", 0)},
		"a limit counts as the request": {two, quota(list("requests.cpu", "2"), nil), exceeded("requests.cpu", "2", "0", "3", 1)},
		"cpu means requests":            {two, quota(list("cpu", "2"), nil), exceeded("cpu", "2", "0", "3", 1)},
		"limits of memory":              {two, quota(list("limits.memory", "1536Mi"), nil), exceeded("limits.memory", "1536Mi", "0", "2Gi", 1)},
		"pods":                          {two, quota(list("pods", "10"), list("pods", "9")), exceeded("pods", "10", "9", "2", 1)},
		"pods as objects":               {two, quota(list("count/pods", "1"), nil), exceeded("count/pods", "1", "0", "2", 1)},
		"Jobs":                          {two, quota(list("count/jobs.batch", "3"), list("count/jobs.batch", "3")), exceeded("count/jobs.batch", "3", "3", "1", 0)},
		"Services, of which several nodes need one":     {two, quota(list("services", "0"), nil), exceeded("services", "0", "0", "1", 0)},
		"Services, of which one node needs none":        {jobtest.New("dino"), quota(list("services", "0"), nil), nil},
		"what is not asked for may be used up":          {two, quota(list("requests.nvidia.com/mig-1g.5gb", "0", "requests.storage", "0"), nil), nil},
		"a quota without a status is taken at its word": {two, quota(nil, nil, func(q *corev1.ResourceQuota) { q.Spec.Hard = list(gpu, "8") }), exceeded(gpu, "8", "0", "16", 1)},
		"an array runs as many pods as it may":          {jobtest.New("sweep").Runs(10, 4), quota(list("pods", "3"), nil), exceeded("pods", "3", "0", "4", 3)},
		"and no more than it has runs":                  {jobtest.New("sweep").Runs(3, 40), quota(list("pods", "3"), nil), nil},
		"a Job that is there is not counted twice": {
			two.With(func(j *batchv1.Job) { j.ResourceVersion = "1" }), quota(list("count/jobs.batch", "1"), list("count/jobs.batch", "1")), nil,
		},
		"the pods of one that runs neither": {
			two.With(func(j *batchv1.Job) { j.Status.StartTime = ptr.To(metav1.Now()) }), quota(list(gpu, "16"), list(gpu, "16")), nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, digest(t, tc.job, tc.quotas).Exceeded, nothing); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// nothing compares empty lists as equal to none.
var nothing = cmp.Transformer("nothing", func(all []validate.ExceededQuota) map[validate.ExceededQuota]bool {
	set := map[validate.ExceededQuota]bool{}
	for _, e := range all {
		set[e] = true
	}
	return set
})

func TestScopesOfQuotas(t *testing.T) {
	plain := jobtest.New("dino")
	heavy := plain.Limit("cpu", "1")
	brief := plain.Pod(func(p *corev1.PodSpec) { p.ActiveDeadlineSeconds = ptr.To[int64](60) })
	urgent := plain.Pod(func(p *corev1.PodSpec) { p.PriorityClassName = "high" })
	for name, tc := range map[string]struct {
		job    jobtest.Job
		change func(*corev1.ResourceQuota)
		counts bool
	}{
		"a pod that asks for nothing is BestEffort":  {plain, scope(corev1.ResourceQuotaScopeBestEffort), true},
		"GPUs make none of another class":            {plain.GPUs("8"), scope(corev1.ResourceQuotaScopeBestEffort), true},
		"CPU does":                                   {heavy, scope(corev1.ResourceQuotaScopeBestEffort), false},
		"NotBestEffort is the contrary":              {heavy, scope(corev1.ResourceQuotaScopeNotBestEffort), true},
		"and leaves out the pod without CPU":         {plain, scope(corev1.ResourceQuotaScopeNotBestEffort), false},
		"a pod with a deadline is Terminating":       {brief, scope(corev1.ResourceQuotaScopeTerminating), true},
		"one without is not":                         {plain, scope(corev1.ResourceQuotaScopeTerminating), false},
		"a deadline of the Job is none of the pods'": {plain.With(func(j *batchv1.Job) { j.Spec.ActiveDeadlineSeconds = ptr.To[int64](60) }), scope(corev1.ResourceQuotaScopeNotTerminating), true},
		"all scopes have to match":                   {brief, scope(corev1.ResourceQuotaScopeTerminating, corev1.ResourceQuotaScopeNotBestEffort), false},
		"the named priority class":                   {urgent, priority(corev1.ScopeSelectorOpIn, "low", "high"), true},
		"another":                                    {urgent, priority(corev1.ScopeSelectorOpIn, "low"), false},
		"all but the named":                          {urgent, priority(corev1.ScopeSelectorOpNotIn, "high"), false},
		"any priority class":                         {urgent, priority(corev1.ScopeSelectorOpExists), true},
		"none of a pod without":                      {plain, priority(corev1.ScopeSelectorOpExists), false},
		"a pod without is in DoesNotExist":           {plain, priority(corev1.ScopeSelectorOpDoesNotExist), true},
		"a scope of claims counts no pods":           {plain, scope(corev1.ResourceQuotaScopeVolumeAttributesClass), false},
	} {
		t.Run(name, func(t *testing.T) {
			got := digest(t, tc.job, quota(list("pods", "0"), nil, tc.change)).Exceeded
			if (len(got) > 0) != tc.counts {
				t.Errorf("got %v", got)
			}
		})
	}
	jobs := quota(list("count/jobs.batch", "0"), nil, scope(corev1.ResourceQuotaScopeBestEffort))
	if got := digest(t, plain, jobs).Exceeded; len(got) > 0 {
		t.Errorf("a scope counts Jobs: %v", got)
	}
}

func TestContainersThatAreRefused(t *testing.T) {
	plain := jobtest.New("dino")
	all := quota(list("requests.cpu", "9", "limits.memory", "9Gi", "requests.ephemeral-storage", "9Gi", "pods", "9"), nil)
	defaults := func(kind corev1.LimitType, request, limit corev1.ResourceList) *corev1.LimitRange {
		return &corev1.LimitRange{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: kind, DefaultRequest: request, Default: limit}}}}
	}
	lacking := func(container string, resources ...string) validate.LackingQuota {
		return validate.LackingQuota{Quota: "q", Container: container, Resources: resources}
	}
	for name, tc := range map[string]struct {
		job    jobtest.Job
		ranges []*corev1.LimitRange
		want   []validate.LackingQuota
	}{
		"one that says nothing":                   {plain, nil, []validate.LackingQuota{lacking("tao", "requests.cpu", "limits.memory")}},
		"one that says all":                       {plain.Limit("cpu", "1").Limit("memory", "1Gi"), nil, nil},
		"zero is an answer":                       {plain.Limit("cpu", "0").Limit("memory", "0"), nil, nil},
		"init containers have to say it, too":     {plain.Limit("cpu", "1").Limit("memory", "1Gi").Pod(func(p *corev1.PodSpec) { p.InitContainers = []corev1.Container{{Name: "fetch"}} }), nil, []validate.LackingQuota{lacking("fetch", "requests.cpu", "limits.memory")}},
		"a LimitRange gives defaults":             {plain, []*corev1.LimitRange{defaults(corev1.LimitTypeContainer, list("cpu", "1"), list("memory", "1Gi"))}, nil},
		"a default limit is a request, too":       {plain, []*corev1.LimitRange{defaults(corev1.LimitTypeContainer, nil, list("cpu", "1", "memory", "1Gi"))}, nil},
		"one for pods does not":                   {plain, []*corev1.LimitRange{defaults(corev1.LimitTypePod, list("cpu", "1"), list("memory", "1Gi"))}, []validate.LackingQuota{lacking("tao", "requests.cpu", "limits.memory")}},
		"resources of the pod as a whole suffice": {plain.Pod(func(p *corev1.PodSpec) { p.Resources = &corev1.ResourceRequirements{Requests: list("cpu", "1")} }), nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := digest(t, tc.job, all, tc.ranges...)
			if len(got.Lacking) == 0 {
				got.Lacking = nil
			}
			if diff := cmp.Diff(tc.want, got.Lacking); diff != "" {
				t.Error(diff)
			}
		})
	}
	filled := digest(t, plain, quota(list("requests.cpu", "9"), nil), defaults(corev1.LimitTypeContainer, list("cpu", "10"), nil))
	if len(filled.Exceeded) != 1 || filled.Exceeded[0].Asked != "10" {
		t.Errorf("the default is not counted: %v", filled.Exceeded)
	}
}

func TestQuotasThatAreNotKnown(t *testing.T) {
	j := jobtest.New("dino").Obj()
	training, _ := job.Read(j)
	unknown := func(string) ([]*corev1.ResourceQuota, bool) { return nil, false }
	for name, c := range map[string]*Cluster{"nobody tells": {}, "the one who tells does not know": {Quotas: unknown}} {
		if got := c.quota(j, training); got != nil {
			t.Errorf("%s: %v", name, got)
		}
	}
	quotas := func(string) ([]*corev1.ResourceQuota, bool) { return quota(list("cpu", "1"), nil), true }
	if got := (&Cluster{Quotas: quotas}).quota(j, training).Lacking; len(got) > 0 {
		t.Errorf("a LimitRange that is not known might help: %v", got)
	}
}
