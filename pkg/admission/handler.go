package admission

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"runtime/debug"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	sigsjson "sigs.k8s.io/json"
)

// handler is what all of our webhooks have in common.
type handler struct {
	// name is that of the webhook in metrics.
	name string
	// courtesy webhooks stand aside for their own faults, since what they judge
	// is judged again.
	courtesy bool
	answer   func(context.Context, admission.Request) (admission.Response, error)
}

// Handle answers creations and updates; nothing else is our business. An error
// or a panic is a fault of ours: the request then fails as a whole, and what
// was half done is dropped.
func (h handler) Handle(ctx context.Context, req admission.Request) (resp admission.Response) {
	defer func() {
		if cause := recover(); cause != nil {
			resp = h.fault(ctx, panicked(cause))
		}
		admissions.WithLabelValues(h.name, string(req.Operation), outcome(resp)).Inc()
	}()
	if req.SubResource != "" || (req.Operation != admissionv1.Create && req.Operation != admissionv1.Update) {
		return admission.Allowed("")
	}
	// An answer takes milliseconds and is bounded by the rules' time limit: one
	// that has begun is finished, also when the server is about to end.
	resp, err := h.answer(context.WithoutCancel(ctx), req)
	if err != nil {
		return h.fault(ctx, err)
	}
	return resp
}

// fault answers for what is wrong with us. The error is for the log only.
func (h handler) fault(ctx context.Context, err error) admission.Response {
	log.FromContext(ctx).Error(err, "answering failed", "webhook", h.name, "admitted", h.courtesy)
	if h.courtesy {
		return admission.Allowed("").WithWarnings("taojob: an internal error kept this from being judged; its Jobs are judged when they are created")
	}
	return refuse(http.StatusInternalServerError, metav1.StatusReasonInternalError,
		"taojob: an internal error, of which the webhook's log tells more; nothing was changed")
}

// panicked turns what a panic was called with into an error without values of
// the object: Go's own runtime errors have none, anything else might.
func panicked(cause any) error {
	if known, ok := cause.(runtime.Error); ok {
		return fmt.Errorf("panic: %w\n%s", known, debug.Stack())
	}
	return fmt.Errorf("panic with a %T\n%s", cause, debug.Stack())
}

// outcome is the label under which a response is counted.
func outcome(resp admission.Response) string {
	switch {
	case resp.Allowed && resp.Patch != nil:
		return "patched"
	case resp.Allowed:
		return "allowed"
	case resp.Result.Code == http.StatusInternalServerError:
		return "error"
	}
	return "refused"
}

// decode reads an object as the API server sent it. Its error holds no value.
func decode(raw []byte, into any) error {
	err := sigsjson.UnmarshalCaseSensitivePreserveInts(raw, into)
	if mistyped, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("decode object: %s is no %s", mistyped.Field, mistyped.Type)
	}
	if err != nil {
		return errors.New("decode object: not the JSON of its kind")
	}
	return nil
}

func refuse(code int32, reason metav1.StatusReason, message string) admission.Response {
	return answerWith(metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason, Message: message})
}

func answerWith(status metav1.Status) admission.Response {
	return admission.Response{AdmissionResponse: admissionv1.AdmissionResponse{Result: &status}}
}

// patched admits an object with changes, none for an empty patch.
func patched(patch []operation) (admission.Response, error) {
	resp := admission.Allowed("")
	if len(patch) == 0 {
		return resp, nil
	}
	text, err := json.Marshal(patch)
	if err != nil {
		return resp, errors.New("encode patch")
	}
	resp.Patch, resp.PatchType = text, ptr.To(admissionv1.PatchTypeJSONPatch)
	return resp, nil
}
