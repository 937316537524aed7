package reload

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// controllerName is how Events name us.
const controllerName = "tao.nvidia.com/reload"

// Limits of an Event, in bytes, and how long one may take to be made.
const (
	maxNote     = 1024
	maxInstance = 128
	eventTime   = 10 * time.Second
)

// Pod is the one that the process runs in.
type Pod struct {
	Namespace, Name string
	// UID may be empty; with it `kubectl describe` shows the Event.
	UID types.UID
}

// Report returns a function for Options.Failed that makes a Warning Event at
// the pod. Nil when the pod is not known.
func Report(c client.Client, pod Pod) func(context.Context, error) {
	if pod.Namespace == "" || pod.Name == "" {
		return nil
	}
	return func(ctx context.Context, err error) {
		ctx, cancel := context.WithTimeout(ctx, eventTime)
		defer cancel()
		if err := c.Create(ctx, pod.unusable(err, metav1.NowMicro())); err != nil {
			log.FromContext(ctx).Error(err, "make an Event of it")
		}
	}
}

// unusable is an Event of its own for each change, named as client-go does.
func (p Pod) unusable(err error, now metav1.MicroTime) *eventsv1.Event {
	return &eventsv1.Event{
		ObjectMeta:          metav1.ObjectMeta{Namespace: p.Namespace, Name: fmt.Sprintf("%s.%x", p.Name, now.UnixNano())},
		EventTime:           now,
		ReportingController: controllerName,
		ReportingInstance:   cut(p.Name, maxInstance),
		Type:                corev1.EventTypeWarning,
		Reason:              "ConfigNotUsable",
		Action:              "Reload",
		Regarding:           corev1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: p.Namespace, Name: p.Name, UID: p.UID},
		Note:                cut("What was in use before stays: "+err.Error(), maxNote),
	}
}

func cut(text string, room int) string {
	if len(text) <= room {
		return text
	}
	const more = "…"
	return strings.ToValidUTF8(text[:room-len(more)], "") + more
}
