package suite

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// shapes are the edits of Jobs on as many nodes as the cluster takes.
func shapes() map[string][]edit {
	if old() {
		return map[string][]edit{"on one node": nil}
	}
	return map[string][]edit{"on one node": nil, "on two nodes": {nodes("2")}}
}

// TestWrites goes through the ways in which people write a Job that is there
// already. None of them may fail by what was injected, or lose any of it.
func TestWrites(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(*space, []edit){
		"the same manifest is applied again":                      applyAgain,
		"a manifest is applied with another annotation":           applyAnnotation,
		"a manifest is applied by the server, twice":              applyByServer,
		"kubectl diff shows what changed and nothing of ours":     showDiff,
		"the stored object is replaced with another label":        replaceExported,
		"the manifest is replaced by force":                       replaceByForce,
		"a plain manifest is replaced as an unlabelled one is":    replacePlain,
		"a manifest with a selector of its own is replaced":       replaceSelecting,
		"labels are patched in all ways":                          patchLabels,
		"a label is added in an editor":                           editLabel,
		"a Job is suspended and resumed":                          suspend,
		"a finalizer is taken away from a Job that is on its way": finalize,
		"the label is taken away":                                 removeLabel,
		"the label comes late, and what runs is left alone":       labelLate,
	} {
		for shape, edits := range shapes() {
			t.Run(name+", "+shape, func(t *testing.T) {
				t.Parallel()
				write(newSpace(t), edits)
			})
		}
	}
}

var fromInput = []string{"--filename", "-"}

func (s *space) apply(manifest string, args ...string) string {
	s.Helper()
	return s.do(manifest, slices.Concat([]string{"apply"}, fromInput, args)...)
}

// kept wants the spec of a Job to be what it was.
func (s *space) kept(was *batchv1.Job) *batchv1.Job {
	s.Helper()
	is := s.job(was.Name)
	if is.UID != was.UID {
		s.Error("it is another Job")
	}
	if diff := cmp.Diff(was.Spec, is.Spec); diff != "" {
		s.Errorf("the spec has changed (-was +is):\n%s", diff)
	}
	if was.Annotations["tao.nvidia.com/injected"] != is.Annotations["tao.nvidia.com/injected"] {
		s.Errorf("the record has changed: %s", is.Annotations["tao.nvidia.com/injected"])
	}
	return is
}

func applyAgain(s *space, edits []edit) {
	s.apply(manifest("a", edits...))
	was := s.job("a")
	s.contains(s.apply(manifest("a", edits...)), "job.batch/a unchanged")
	s.kept(was)
}

func applyAnnotation(s *space, edits []edit) {
	s.apply(manifest("a", edits...))
	was := s.job("a")
	note := func(j *batchv1.Job) { metav1.SetMetaDataAnnotation(&j.ObjectMeta, "note", "new") }
	s.contains(s.apply(manifest("a", append(slices.Clone(edits), note)...)), "job.batch/a configured")
	if s.kept(was).Annotations["note"] != "new" {
		s.Error("the annotation is missing")
	}
}

func applyByServer(s *space, edits []edit) {
	s.contains(s.apply(manifest("a", edits...), "--server-side"), "job.batch/a serverside-applied")
	was := s.job("a")
	checkInjected(s.T, was, "tao-creds-a")
	s.apply(manifest("a", edits...), "--server-side")
	s.kept(was)
	mark := func(j *batchv1.Job) { j.Labels["mark"] = "new" }
	s.apply(manifest("a", append(slices.Clone(edits), mark)...), "--server-side")
	if s.kept(was).Labels["mark"] != "new" {
		s.Error("the label is missing")
	}
}

func showDiff(s *space, edits []edit) {
	s.apply(manifest("a", edits...))
	was := s.job("a")
	if r := s.kubectl(manifest("a", edits...), append([]string{"diff"}, fromInput...)...); r.err != nil || r.out != "" {
		s.Errorf("an unchanged manifest differs: %v\n%s", r.err, r.out)
	}
	mark := func(j *batchv1.Job) { j.Labels["mark"] = "new" }
	r := s.kubectl(manifest("a", append(slices.Clone(edits), mark)...), append([]string{"diff"}, fromInput...)...)
	changed := regexp.MustCompile(`(?m)^[-+] .*`).FindAllString(r.out, -1)
	if diff := cmp.Diff([]string{"+    mark: new"}, changed); diff != "" {
		s.Errorf("changed lines (-want +got):\n%s", diff)
	}
	s.kept(was)
}

func replaceExported(s *space, edits []edit) {
	s.apply(manifest("a", edits...))
	was := s.job("a")
	exported := s.do("", "get", "job", "a", "--output", "yaml")
	exported = strings.Replace(exported, "tao.nvidia.com/job: \"true\"", "tao.nvidia.com/job: \"true\"\n    mark: new", 1)
	s.do(exported, append([]string{"replace"}, fromInput...)...)
	if s.kept(was).Labels["mark"] != "new" {
		s.Error("the label is missing")
	}
}

func replaceByForce(s *space, edits []edit) {
	s.apply(manifest("a", edits...))
	was := s.job("a")
	s.do(manifest("a", edits...), append([]string{"replace", "--force"}, fromInput...)...)
	is := s.job("a")
	if is.UID == was.UID {
		s.Error("it is the same Job")
	}
	checkInjected(s.T, is, "tao-creds-a")
	if len(edits) > 0 { // the first one's Service goes, and the second gets its own
		s.service("a", func(service *corev1.Service) error {
			if !metav1.IsControlledBy(service, is) {
				return fmt.Errorf("it is that of %v", service.OwnerReferences)
			}
			return nil
		})
	}
}

// replacePlain also fails without us: the manifest has no selector, and the
// template lacks the labels that the API server generates.
func replacePlain(s *space, edits []edit) {
	s.do(manifest("theirs", unlabelled), append([]string{"create"}, fromInput...)...)
	s.do(manifest("ours", edits...), append([]string{"create"}, fromInput...)...)
	was := s.job("ours")
	replace := append([]string{"replace"}, fromInput...)
	theirs := s.refused(manifest("theirs", unlabelled), replace, "theirs")
	ours := s.refused(manifest("ours", edits...), replace, "ours")
	s.contains(theirs, "spec.selector: Required value")
	if diff := cmp.Diff(complaints(theirs), complaints(ours)); diff != "" {
		s.Errorf("the API server complains (-of an unlabelled Job +of ours):\n%s\n%s", diff, ours)
	}
	s.kept(was)
}

// replaceSelecting is a replacement that works without us, since nothing in it
// was generated. What was injected is not in the manifest, and so comes back.
func replaceSelecting(s *space, edits []edit) {
	own := selecting("job-name", "a")
	edits = append(slices.Clone(edits), own)
	s.do(manifest("a", edits...), create...)
	was := s.job("a")
	checkInjected(s.T, was, "tao-creds-a")
	mark := func(j *batchv1.Job) { j.Labels["mark"] = "new" }
	s.do(manifest("a", append(edits, mark)...), append([]string{"replace"}, fromInput...)...)
	if s.kept(was).Labels["mark"] != "new" {
		s.Error("the label is missing")
	}
}

// selecting lets a Job find its pods by a label of their template.
func selecting(key, value string) edit {
	return func(j *batchv1.Job) {
		labels := map[string]string{key: value}
		j.Spec.ManualSelector, j.Spec.Selector = ptr.To(true), &metav1.LabelSelector{MatchLabels: labels}
		j.Spec.Template.Labels = labels
	}
}

// complaints are the fields that the API server's answer is about.
func complaints(answer string) []string {
	found := regexp.MustCompile(`\bspec\.[A-Za-z.]+: (Invalid|Required|Forbidden)`).FindAllString(answer, -1)
	slices.Sort(found)
	return found
}

func patchLabels(s *space, edits []edit) {
	s.apply(manifest("a", edits...))
	was := s.job("a")
	s.do("", "patch", "job", "a", "--type", "merge", "--patch", `{"metadata":{"labels":{"merge":"new"}}}`)
	s.do("", "patch", "job", "a", "--type", "json", "--patch", `[{"op":"add","path":"/metadata/labels/json","value":"new"}]`)
	s.do("", "patch", "job", "a", "--type", "strategic", "--patch", `{"metadata":{"labels":{"strategic":"new"}}}`)
	s.do("", "label", "job", "a", "command=new")
	is := s.kept(was)
	for _, label := range []string{"merge", "json", "strategic", "command"} {
		if is.Labels[label] != "new" {
			s.Errorf("label %s is missing", label)
		}
	}
}

func editLabel(s *space, edits []edit) {
	s.apply(manifest("a", edits...))
	was := s.job("a")
	editor := `sed -i 's/^    tao.nvidia.com\/job:.*/&\n    mark: new/'`
	r := s.run("", "env", "KUBE_EDITOR="+editor, plane.Assets.Kubectl(), "--namespace", s.name, "edit", "job", "a")
	if r.err != nil {
		s.Fatalf("kubectl edit: %v\n%s", r.err, r.out)
	}
	if s.kept(was).Labels["mark"] != "new" {
		s.Errorf("the label is missing: %s", r.out)
	}
}

func suspend(s *space, edits []edit) {
	s.apply(manifest("a", edits...))
	was := s.job("a")
	for _, suspended := range []bool{true, false} {
		value := map[bool]string{true: "true", false: "false"}[suspended]
		s.do("", "patch", "job", "a", "--type", "merge", "--patch", `{"spec":{"suspend":`+value+`}}`)
		if got := s.job("a").Spec.Suspend; got == nil || *got != suspended {
			s.Errorf("suspend is %v, want %v", got, suspended)
		}
	}
	s.kept(was)
}

func finalize(s *space, edits []edit) {
	held := func(j *batchv1.Job) { j.Finalizers = []string{"example.com/hold"} }
	s.apply(manifest("a", append(slices.Clone(edits), held)...))
	s.do("", "delete", "job", "a", "--wait=false")
	if s.job("a").DeletionTimestamp == nil {
		s.Error("the Job is not on its way")
	}
	s.do("", "patch", "job", "a", "--type", "json", "--patch", `[{"op":"remove","path":"/metadata/finalizers"}]`)
	s.eventually("the end of the Job", func() error { return s.gone("a") })
}

func removeLabel(s *space, edits []edit) {
	s.apply(manifest("a", edits...))
	was := s.job("a")
	s.do("", "label", "job", "a", "tao.nvidia.com/job-")
	if label, there := s.kept(was).Labels["tao.nvidia.com/job"]; there {
		s.Errorf("the label is still %q", label)
	}
}

// labelLate has a Job run that would have been refused. Its template cannot
// change any more, so that neither injection nor a refusal would help anybody.
func labelLate(s *space, edits []edit) {
	s.apply(manifest("a", append(slices.Clone(edits), unlabelled, gpus(16))...))
	was := s.job("a")
	s.do("", "label", "job", "a", "tao.nvidia.com/job=true")
	if is := s.kept(was); is.Labels["tao.nvidia.com/job"] != "true" || len(container(is).Env) > 0 {
		s.Errorf("labels %v and variables %v", is.Labels, container(is).Env)
	}
}

func TestADryRunShowsInjectionAndLeavesNothing(t *testing.T) {
	t.Parallel()
	for shape, edits := range shapes() {
		t.Run(shape, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t)
			out := s.apply(manifest("a", edits...), "--dry-run=server", "--output", "yaml")
			s.contains(out, "name: MASTER_ADDR", "mountPath: /dev/shm", "tao-creds-a", "tao.nvidia.com/injected")
			// A Service would come within a moment of a Job that came later.
			s.apply(manifest("b", edits...))
			if len(edits) > 0 {
				s.service("b", isThere)
			}
			s.lacks(s.do("", "get", "jobs,services", "--output", "name"), "/a")
		})
	}
}
