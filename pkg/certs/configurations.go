package certs

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// fieldOwner is under which name the API server notes what we write.
const fieldOwner = client.FieldOwner("taojob-certificates")

// configurations are the two objects that tell the API server whom to ask and
// whom to trust. Both have the same name.
type configurations struct {
	client client.Client
	name   string
}

var errNoBundle = errors.New("it does not say whom to trust")

// bundles returns the caBundles of all webhooks in one kind of configuration.
func bundles(o client.Object) [][]byte {
	var all [][]byte
	switch c := o.(type) {
	case *admissionv1.MutatingWebhookConfiguration:
		for i := range c.Webhooks {
			all = append(all, c.Webhooks[i].ClientConfig.CABundle)
		}
	case *admissionv1.ValidatingWebhookConfiguration:
		for i := range c.Webhooks {
			all = append(all, c.Webhooks[i].ClientConfig.CABundle)
		}
	}
	return all
}

// kinds are those of the configurations, by the name of their kind.
func kinds() map[string]client.Object {
	return map[string]client.Object{
		"MutatingWebhookConfiguration":   &admissionv1.MutatingWebhookConfiguration{},
		"ValidatingWebhookConfiguration": &admissionv1.ValidatingWebhookConfiguration{},
	}
}

// all asks holds about each caBundle, from the cache, and returns what it
// says against one.
func (c *configurations) all(ctx context.Context, holds func(trusted []*x509.Certificate) error) error {
	for kind, object := range kinds() {
		if err := c.client.Get(ctx, client.ObjectKey{Name: c.name}, object); err != nil {
			return fmt.Errorf("read %s: %w", kind, err)
		}
		for _, raw := range bundles(object) {
			if len(raw) == 0 {
				return fmt.Errorf("read %s %s: %w", kind, c.name, errNoBundle)
			}
			if err := holds(parse(raw)); err != nil {
				return fmt.Errorf("read %s %s: %w", kind, c.name, err)
			}
		}
	}
	return nil
}

// inject makes every caBundle what want makes of it. It reads from the cache
// and writes only what differs.
func (c *configurations) inject(ctx context.Context, want func(have []byte) []byte) error {
	var errs []error
	for kind, object := range kinds() {
		if err := c.client.Get(ctx, client.ObjectKey{Name: c.name}, object); err != nil {
			errs = append(errs, fmt.Errorf("read %s: %w", kind, err))
			continue
		}
		for _, have := range bundles(object) {
			if bytes.Equal(have, want(have)) {
				continue
			}
			if err := c.write(ctx, kind, want); err != nil {
				errs = append(errs, fmt.Errorf("write the caBundle of %s: %w", kind, err))
			}
			break
		}
	}
	return errors.Join(errs...)
}

// write goes by the object as the API server has it, whatever fields are newer
// than our types: an update sends all of them back.
func (c *configurations) write(ctx context.Context, kind string, want func(have []byte) []byte) error {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(admissionv1.SchemeGroupVersion.WithKind(kind))
	if err := c.client.Get(ctx, client.ObjectKey{Name: c.name}, object); err != nil {
		return err
	}
	webhooks, _, err := unstructured.NestedSlice(object.Object, "webhooks")
	if err != nil {
		return err
	}
	for _, w := range webhooks {
		webhook, ok := w.(map[string]any)
		if !ok {
			continue
		}
		text, _, err := unstructured.NestedString(webhook, "clientConfig", "caBundle")
		if err != nil {
			return err
		}
		have, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return err
		}
		if err := unstructured.SetNestedField(webhook, base64.StdEncoding.EncodeToString(want(have)), "clientConfig", "caBundle"); err != nil {
			return err
		}
	}
	if err := unstructured.SetNestedSlice(object.Object, webhooks, "webhooks"); err != nil {
		return err
	}
	return c.client.Update(ctx, object, fieldOwner)
}
