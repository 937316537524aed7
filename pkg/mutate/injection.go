package mutate

import (
	"fmt"
	"path"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/taojob/taojob/pkg/job"
)

// injection is one pass of the chain over one Job.
type injection struct {
	job      *batchv1.Job
	pod      *corev1.PodSpec
	training *job.Training
	trainers []*corev1.Container
	opt      Options
	record   job.Record
	warnings []string
	// envs counts, per training container, the variables put in front so far.
	envs map[*corev1.Container]int
}

func newInjection(j *batchv1.Job, t *job.Training, opt Options) *injection {
	in := &injection{
		job: j, pod: &j.Spec.Template.Spec, training: t, opt: opt,
		record: job.ReadRecord(j.Annotations), envs: map[*corev1.Container]int{},
	}
	in.trainers = t.Trainers(in.pod)
	was := in.record.Containers
	in.record.Containers = make(map[string][]string, len(in.trainers))
	for _, c := range in.trainers {
		in.record.Containers[c.Name] = was[c.Name]
	}
	return in
}

func (in *injection) warn(format string, args ...any) {
	in.warnings = append(in.warnings, fmt.Sprintf(format, args...))
}

// addedToJob, addedToPod and addedTo record one addition, by the name under
// which Restore looks it up.
func (in *injection) addedToJob(what string) { in.record.Job = with(in.record.Job, what) }

func (in *injection) addedToPod(what string) { in.record.Pod = with(in.record.Pod, what) }

func (in *injection) addedTo(c *corev1.Container, what string) {
	in.record.Containers[c.Name] = with(in.record.Containers[c.Name], what)
}

// added tells whether an addition to c is ours.
func (in *injection) added(c *corev1.Container, what string) bool {
	return slices.Contains(in.record.Containers[c.Name], what)
}

func with(list []string, entry string) []string {
	if slices.Contains(list, entry) {
		return list
	}
	return append(list, entry)
}

// writeRecord puts the record into the Job's annotations.
func (in *injection) writeRecord() {
	in.record.Name = in.job.Name
	if in.job.Annotations == nil {
		in.job.Annotations = map[string]string{}
	}
	in.job.Annotations[job.Injected] = in.record.String()
}

// env puts a variable before the author's own, so that theirs may refer to it
// by $(NAME). One that the author set stays as it is.
func (in *injection) env(c *corev1.Container, v corev1.EnvVar) {
	if envVar(c, v.Name) != nil {
		return
	}
	c.Env = slices.Insert(c.Env, in.envs[c], v)
	in.envs[c]++
	in.addedTo(c, "env "+v.Name)
}

// envLast puts a variable after the author's own, so that it may refer to them.
func (in *injection) envLast(c *corev1.Container, v corev1.EnvVar) {
	if envVar(c, v.Name) != nil {
		return
	}
	c.Env = append(c.Env, v)
	in.addedTo(c, "env "+v.Name)
}

// envVar returns the entry that counts, nil when there is none: of doubled
// names the kubelet takes the last.
func envVar(c *corev1.Container, name string) *corev1.EnvVar {
	for i := len(c.Env) - 1; i >= 0; i-- {
		if c.Env[i].Name == name {
			return &c.Env[i]
		}
	}
	return nil
}

// mountAt returns what c mounts at a path, nil when nothing is mounted there.
func mountAt(c *corev1.Container, at string) *corev1.VolumeMount {
	for i := range c.VolumeMounts {
		if place(c.VolumeMounts[i].MountPath) == at {
			return &c.VolumeMounts[i]
		}
	}
	return nil
}

// deviceAt tells whether c has a block device at a path.
func deviceAt(c *corev1.Container, at string) bool {
	return slices.ContainsFunc(c.VolumeDevices, func(d corev1.VolumeDevice) bool { return place(d.DevicePath) == at })
}

// place is a path as the kubelet reads it: from the root, without detours.
func place(at string) string { return path.Join("/", at) }
