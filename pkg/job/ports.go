package job

import (
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// DefaultMasterPort is the rendezvous port of torchrun and of TAO.
const DefaultMasterPort = 29500

// masterPort is the one the training process will see: a MASTER_PORT that the
// user wrote into the container, else the annotation, else the default.
func (r *reader) masterPort(pod *corev1.PodSpec, names []string) int32 {
	annotated, ok := r.number(MasterPort, 1, 65535)
	if !ok {
		annotated = DefaultMasterPort
	}
	for _, c := range trainers(pod, names) {
		env := find(c.Env, "MASTER_PORT")
		if env == nil || env.ValueFrom != nil || strings.Contains(env.Value, "$(") {
			continue
		}
		port, err := strconv.ParseUint(env.Value, 10, 16)
		if err != nil || port == 0 {
			r.errs = append(r.errs, invalid(envPath(pod, c, env), "MASTER_PORT of container \""+c.Name+"\": want a port from 1 to 65535"))
			continue
		}
		return int32(port)
	}
	return annotated
}

// find returns the entry that counts: of doubled names the kubelet takes the last.
func find(env []corev1.EnvVar, name string) *corev1.EnvVar {
	for i := len(env) - 1; i >= 0; i-- {
		if env[i].Name == name {
			return &env[i]
		}
	}
	return nil
}

func envPath(pod *corev1.PodSpec, c *corev1.Container, env *corev1.EnvVar) *field.Path {
	path := field.NewPath("spec", "template", "spec", "containers")
	for i := range pod.Containers {
		for j := range pod.Containers[i].Env {
			if &pod.Containers[i].Env[j] == env {
				return path.Index(i).Child("env").Index(j).Child("value")
			}
		}
	}
	return path.Key(c.Name)
}
