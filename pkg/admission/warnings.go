package admission

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// withWarnings lets a handler behind it warn, by the context: controller-runtime's
// Defaulter has no other way.
type withWarnings struct{ admission.Handler }

type warningsKey struct{}

// Handle answers as the handler behind does, with its warnings.
func (h withWarnings) Handle(ctx context.Context, req admission.Request) admission.Response {
	var warnings []string
	response := h.Handler.Handle(context.WithValue(ctx, warningsKey{}, &warnings), req)
	return response.WithWarnings(warnings...)
}

// warn adds warnings to the response; without withWarnings they are lost.
func warn(ctx context.Context, warnings ...string) {
	if all, ok := ctx.Value(warningsKey{}).(*[]string); ok {
		*all = append(*all, warnings...)
	}
}
