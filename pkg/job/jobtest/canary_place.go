package jobtest

import (
	"encoding/json"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/taojob/taojob/pkg/job"
)

// canaryPlace is where a Job takes a text of its author's.
type canaryPlace struct {
	name string
	// named tells that a name stands beside the text.
	named bool
	put   func(j *batchv1.Job, name, secret string)
}

func inPod(name string, put func(p *corev1.PodSpec, secret string)) canaryPlace {
	return canaryPlace{name: name, put: func(j *batchv1.Job, _, secret string) { put(&j.Spec.Template.Spec, secret) }}
}

// inContainer puts it into a container of its own, which the Job gets for it.
func inContainer(name string, put func(c *corev1.Container, secret string)) canaryPlace {
	return inPod(name, func(p *corev1.PodSpec, secret string) {
		c := corev1.Container{Name: fmt.Sprintf("side-%d", len(p.Containers)), Image: "side"}
		put(&c, secret)
		p.Containers = append(p.Containers, c)
	})
}

// beside puts it behind a name into a container of its own.
func beside(name string, put func(c *corev1.Container, name, secret string)) canaryPlace {
	return canaryPlace{name: name, named: true, put: func(j *batchv1.Job, called, secret string) {
		inContainer(name, func(c *corev1.Container, secret string) { put(c, called, secret) }).put(j, called, secret)
	}}
}

func inVolume(name string, put func(source *corev1.VolumeSource, secret string)) canaryPlace {
	return inPod(name, func(p *corev1.PodSpec, secret string) {
		v := corev1.Volume{Name: fmt.Sprintf("volume-%d", len(p.Volumes))}
		put(&v.VolumeSource, secret)
		p.Volumes = append(p.Volumes, v)
	})
}

func running(command ...string) *corev1.ExecAction { return &corev1.ExecAction{Command: command} }

func probe(action corev1.ProbeHandler) *corev1.Probe { return &corev1.Probe{ProbeHandler: action} }

// script is what many a command looks like.
func script(name, secret string) string {
	return "set -e\nexport " + name + "='" + secret + "'\npython train.py"
}

// canaryPlaces are those that the API server takes any text in.
var canaryPlaces = []canaryPlace{
	beside("a variable", func(c *corev1.Container, name, secret string) { c.Env = []corev1.EnvVar{{Name: name, Value: secret}} }),
	beside("a script", func(c *corev1.Container, name, secret string) { c.Command = []string{"sh", "-c", script(name, secret)} }),
	beside("an init container's variable", func(c *corev1.Container, name, secret string) { c.Env = []corev1.EnvVar{{Name: name, Value: secret}} }).asInit(),
	beside("a script that probes", func(c *corev1.Container, name, secret string) {
		c.ReadinessProbe = probe(corev1.ProbeHandler{Exec: running("sh", "-c", script(name, secret))})
	}),
	{name: "an annotation", named: true, put: func(j *batchv1.Job, name, secret string) {
		j.Annotations = set(j.Annotations, "example.com/"+name, secret)
	}},
	{name: "an annotation of the pods", named: true, put: func(j *batchv1.Job, name, secret string) {
		j.Spec.Template.Annotations = set(j.Spec.Template.Annotations, "example.com/"+name, secret)
	}},
	{name: "an annotation of ours that is not known", put: func(j *batchv1.Job, _, secret string) {
		j.Annotations = set(j.Annotations, "tao.nvidia.com/note", secret)
	}},
	{name: "kubectl's copy", named: true, put: putCopy},
	inContainer("a sentence in a variable", func(c *corev1.Container, secret string) {
		c.Env = []corev1.EnvVar{{Name: "NOTE", Value: "for now use " + secret + " please"}}
	}),
	inContainer("JSON in a variable", func(c *corev1.Container, secret string) {
		text, _ := json.Marshal(map[string]any{"login": map[string]any{"with": secret}}) //nolint:errchkjson // strings have a JSON form
		c.Env = []corev1.EnvVar{{Name: "CONFIG", Value: string(text)}}
	}),
	inContainer("the command", func(c *corev1.Container, secret string) { c.Command = []string{"train", secret} }),
	inContainer("an argument", func(c *corev1.Container, secret string) { c.Args = []string{"train", secret} }),
	inContainer("a flag", func(c *corev1.Container, secret string) { c.Args = []string{"train", "--hf-token=" + secret} }),
	inContainer("the argument after a flag", func(c *corev1.Container, secret string) { c.Args = []string{"login", "--password", secret} }),
	inContainer("the folder to work in", func(c *corev1.Container, secret string) { c.WorkingDir = "/src/" + secret }),
	inContainer("a header of a probe", func(c *corev1.Container, secret string) {
		c.LivenessProbe = probe(corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
			Path: "/", HTTPHeaders: []corev1.HTTPHeader{{Name: "X-Key", Value: secret}},
		}})
	}),
	inContainer("the path of a probe", func(c *corev1.Container, secret string) {
		c.StartupProbe = probe(corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/ready?token=" + secret}})
	}),
	inContainer("a hook", func(c *corev1.Container, secret string) {
		c.Lifecycle = &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Exec: running("stop", secret)}}
	}),
	inContainer("the path of a mount", func(c *corev1.Container, secret string) {
		c.VolumeMounts = []corev1.VolumeMount{{Name: "data", MountPath: "/data", SubPath: secret}}
	}),
	inContainer("the place of the last words", func(c *corev1.Container, secret string) { c.TerminationMessagePath = "/dev/" + secret }),
	inVolume("a volume's attributes", func(v *corev1.VolumeSource, secret string) {
		v.CSI = &corev1.CSIVolumeSource{Driver: "csi", VolumeAttributes: map[string]string{"options": secret}}
	}),
	inVolume("a volume's options", func(v *corev1.VolumeSource, secret string) {
		v.FlexVolume = &corev1.FlexVolumeSource{Driver: "flex/volume", Options: map[string]string{"mount": secret}}
	}),
	inVolume("a share", func(v *corev1.VolumeSource, secret string) {
		v.NFS = &corev1.NFSVolumeSource{Server: "nas", Path: "/" + secret}
	}),
	inVolume("a path on the node", func(v *corev1.VolumeSource, secret string) {
		v.HostPath = &corev1.HostPathVolumeSource{Path: "/" + secret}
	}),
	inVolume("a path in a ConfigMap", func(v *corev1.VolumeSource, secret string) {
		v.ConfigMap = &corev1.ConfigMapVolumeSource{Items: []corev1.KeyToPath{{Key: "a", Path: secret}}}
	}),
	inVolume("a volume to make", func(v *corev1.VolumeSource, secret string) {
		v.Ephemeral = &corev1.EphemeralVolumeSource{VolumeClaimTemplate: &corev1.PersistentVolumeClaimTemplate{
			ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"note": secret}},
		}}
	}),
	inPod("what a node must have", func(p *corev1.PodSpec, secret string) {
		p.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{Weight: 1, Preference: corev1.NodeSelectorTerm{
				MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{secret}}},
			}}},
		}}
	}),
	inPod("a kernel setting", func(p *corev1.PodSpec, secret string) {
		p.SecurityContext = &corev1.PodSecurityContext{Sysctls: []corev1.Sysctl{{Name: "kernel.shm_rmid_forced", Value: secret}}}
	}),
	inPod("a setting of the name service", func(p *corev1.PodSpec, secret string) {
		p.DNSConfig = &corev1.PodDNSConfig{Options: []corev1.PodDNSConfigOption{{Name: "x", Value: &secret}}}
	}),
}

// asInit makes the container that was put in last an init container.
func (p canaryPlace) asInit() canaryPlace {
	put := p.put
	p.put = func(j *batchv1.Job, name, secret string) {
		put(j, name, secret)
		spec := &j.Spec.Template.Spec
		last := len(spec.Containers) - 1
		spec.InitContainers = append(spec.InitContainers, spec.Containers[last])
		spec.Containers = spec.Containers[:last]
	}
	return p
}

// putCopy annotates the Job as kubectl apply does.
func putCopy(j *batchv1.Job, name, secret string) {
	text, _ := json.Marshal(map[string]any{"apiVersion": "batch/v1", "kind": "Job", "spec": map[string]any{ //nolint:errchkjson // strings have a JSON form
		"template": map[string]any{"spec": map[string]any{"containers": []any{map[string]any{
			"name": "tao", "env": []any{map[string]any{"name": name, "value": secret}},
		}}}},
	}})
	j.Annotations = set(j.Annotations, corev1.LastAppliedConfigAnnotation, string(text))
}

// oddPlaces are those where the Job is refused for other reasons too: its values
// have a form there that the text has not.
var oddPlaces = append([]canaryPlace{
	{name: "the name", put: func(j *batchv1.Job, _, secret string) { j.Name = secret }},
	{name: "the beginning of a name", put: func(j *batchv1.Job, _, secret string) { j.Name, j.GenerateName = "", secret }},
	{name: "the namespace", put: func(j *batchv1.Job, _, secret string) { j.Namespace = secret }},
	{name: "the key of an annotation", put: func(j *batchv1.Job, _, secret string) { j.Annotations = set(j.Annotations, secret, "x") }},
	{name: "a label", put: func(j *batchv1.Job, _, secret string) { j.Labels = set(j.Labels, "team", secret) }},
	{name: "the key of a label", put: func(j *batchv1.Job, _, secret string) { j.Labels = set(j.Labels, secret, "x") }},
	{name: "our label", put: func(j *batchv1.Job, _, secret string) { j.Labels[job.Label] = secret }},
	{name: "Kueue's queue", put: func(j *batchv1.Job, _, secret string) { j.Labels = set(j.Labels, "kueue.x-k8s.io/queue-name", secret) }},
	{name: "a finalizer", put: func(j *batchv1.Job, _, secret string) { j.Finalizers = []string{secret} }},
	{name: "the selector", put: func(j *batchv1.Job, _, secret string) {
		j.Spec.ManualSelector = ptr.To(true)
		j.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": secret}}
	}},
	{name: "the completion mode", put: func(j *batchv1.Job, _, secret string) { j.Spec.CompletionMode = ptr.To(batchv1.CompletionMode(secret)) }},
	{name: "the status", put: func(j *batchv1.Job, _, secret string) {
		j.Status.Conditions = []batchv1.JobCondition{{Type: "Suspended", Message: secret}}
	}},
	inContainer("the name of a variable", func(c *corev1.Container, secret string) { c.Env = []corev1.EnvVar{{Name: secret, Value: "x"}} }),
	inContainer("the rendezvous port", func(c *corev1.Container, secret string) {
		c.Env = []corev1.EnvVar{{Name: "MASTER_PORT", Value: secret}}
	}),
	inContainer("the number of nodes", func(c *corev1.Container, secret string) { c.Env = []corev1.EnvVar{{Name: "WORLD_SIZE", Value: secret}} }),
	inContainer("the name of a container", func(c *corev1.Container, secret string) { c.Name = secret }),
	inContainer("an image", func(c *corev1.Container, secret string) { c.Image = "nvcr.io/" + secret + ":1" }),
	inContainer("the name of a Secret", func(c *corev1.Container, secret string) {
		c.EnvFrom = []corev1.EnvFromSource{{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: secret}}}}
	}),
	inContainer("a resource", func(c *corev1.Container, secret string) { limit(c, corev1.ResourceName("nvidia.com/"+secret), "1") }),
	inContainer("the place of a mount", func(c *corev1.Container, secret string) {
		c.VolumeMounts = []corev1.VolumeMount{{Name: secret, MountPath: secret}}
	}),
	inVolume("a claim", func(v *corev1.VolumeSource, secret string) {
		v.PersistentVolumeClaim = &corev1.PersistentVolumeClaimVolumeSource{ClaimName: secret}
	}),
	inPod("a pull secret", func(p *corev1.PodSpec, secret string) {
		p.ImagePullSecrets = []corev1.LocalObjectReference{{Name: secret}}
	}),
	inPod("a node selector", func(p *corev1.PodSpec, secret string) { p.NodeSelector = map[string]string{"pool": secret} }),
	inPod("the key of a node selector", func(p *corev1.PodSpec, secret string) { p.NodeSelector = map[string]string{secret: "x"} }),
	inPod("a toleration", func(p *corev1.PodSpec, secret string) {
		p.Tolerations = []corev1.Toleration{{Key: secret, Value: secret}}
	}),
	inPod("the subdomain", func(p *corev1.PodSpec, secret string) { p.Subdomain = secret }),
	inPod("the host name", func(p *corev1.PodSpec, secret string) { p.Hostname = secret }),
	inPod("the service account", func(p *corev1.PodSpec, secret string) { p.ServiceAccountName = secret }),
	inPod("the priority", func(p *corev1.PodSpec, secret string) { p.PriorityClassName = secret }),
	inPod("the scheduler", func(p *corev1.PodSpec, secret string) { p.SchedulerName = secret }),
	inPod("the restart policy", func(p *corev1.PodSpec, secret string) { p.RestartPolicy = corev1.RestartPolicy(secret) }),
	inPod("a resource claim", func(p *corev1.PodSpec, secret string) {
		p.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimName: &secret}}
	}),
}, inOurAnnotations()...)

// inOurAnnotations are those of which we say what is wrong with them.
func inOurAnnotations() []canaryPlace {
	var all []canaryPlace
	for _, key := range []string{
		job.Nodes, job.Containers, job.GPUsPerNode, job.MasterPort, job.ShmSize, job.CredentialsSecret, job.ResultsDir, job.Inputs, job.Outputs, job.Injected,
	} {
		all = append(all, canaryPlace{name: "annotation " + key, put: func(j *batchv1.Job, _, secret string) {
			j.Annotations = set(j.Annotations, key, secret)
		}})
	}
	return all
}
