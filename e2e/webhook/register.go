package webhook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// grant makes the role and gives it to the webhook's user, and nothing else.
func (w *Webhook) grant(ctx context.Context, role *rbacv1.ClusterRole) error {
	role = role.DeepCopy()
	role.Name = w.opts.Name + "-webhook"
	rbac := w.cluster.Client.RbacV1()
	if _, err := rbac.ClusterRoles().Create(ctx, role, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create role: %w", err)
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: role.Name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: role.Name}},
	}
	if _, err := rbac.ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("bind role: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	return poll(ctx, func(ctx context.Context) error { return w.mayWatch(ctx, role) })
}

// mayWatch tells whether the API server has come to know of the role, which it
// does in a moment: a webhook that is there first would be refused for a while.
func (w *Webhook) mayWatch(ctx context.Context, role *rbacv1.ClusterRole) error {
	for _, rule := range role.Rules {
		if !slices.Contains(rule.Verbs, "watch") {
			continue
		}
		for _, resource := range rule.Resources {
			review, err := w.cluster.Client.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
				Spec: authorizationv1.SubjectAccessReviewSpec{User: role.Name, ResourceAttributes: &authorizationv1.ResourceAttributes{
					Verb: "watch", Group: rule.APIGroups[0], Resource: resource,
				}},
			}, metav1.CreateOptions{})
			if err != nil {
				return fmt.Errorf("ask for permissions: %w", err)
			}
			if !review.Status.Allowed {
				return fmt.Errorf("%s may not watch %s yet", role.Name, resource)
			}
		}
	}
	return nil
}

// register makes the API server ask the webhook, by the configurations of
// config/ with only the address changed.
func (w *Webhook) register(ctx context.Context, o *objects) error {
	mutating, validating := o.mutating.DeepCopy(), o.validating.DeepCopy()
	mutating.Name, validating.Name = w.opts.Name, w.opts.Name
	for i := range mutating.Webhooks {
		if err := w.redirect(&mutating.Webhooks[i].ClientConfig, &mutating.Webhooks[i].NamespaceSelector); err != nil {
			return err
		}
	}
	for i := range validating.Webhooks {
		if err := w.redirect(&validating.Webhooks[i].ClientConfig, &validating.Webhooks[i].NamespaceSelector); err != nil {
			return err
		}
	}
	api := w.cluster.Client.AdmissionregistrationV1()
	if _, err := api.MutatingWebhookConfigurations().Create(ctx, mutating, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("register mutating webhook: %w", err)
	}
	if _, err := api.ValidatingWebhookConfigurations().Create(ctx, validating, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("register validating webhook: %w", err)
	}
	return nil
}

func (w *Webhook) redirect(c *admissionv1.WebhookClientConfig, namespaces **metav1.LabelSelector) error {
	if c.Service == nil || c.Service.Path == nil {
		return errors.New("register webhook: want a Service and a path in config/, to know the path")
	}
	host, bundle := w.address, w.authority.pem
	if w.opts.Self { // it finds out whom to trust, and certificates are for names
		host, bundle = strings.Replace(host, "127.0.0.1", "localhost", 1), nil
	}
	url := "https://" + host + *c.Service.Path
	*c = admissionv1.WebhookClientConfig{URL: &url, CABundle: bundle}
	if w.opts.Namespace != "" {
		*namespaces = &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: w.opts.Namespace}}
	}
	return nil
}

// awaitDenial waits until the API server asks both webhooks, which it does
// within a second of their registration: it refuses a Job by the validating
// one, which sees the numbers that the mutating one has left alone.
func (w *Webhook) awaitDenial(ctx context.Context) error {
	crooked := Job("crooked")
	crooked.Annotations = map[string]string{"tao.nvidia.com/nodes": "2"}
	crooked.Spec.Completions = new(int32(3))
	jobs := w.cluster.Client.BatchV1().Jobs(cmp.Or(w.opts.Namespace, metav1.NamespaceDefault))
	return poll(ctx, func(ctx context.Context) error {
		_, err := jobs.Create(ctx, crooked, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err == nil {
			return errors.New("a Job was not refused whose nodes contradict its completions")
		}
		if !strings.Contains(err.Error(), "denied the request") {
			return err
		}
		return nil
	})
}

// Job is a labelled Job of one container without GPUs, which the webhooks accept.
func Job(name string) *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"tao.nvidia.com/job": "true"}},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{{Name: "train", Image: "train"}},
		}}},
	}
}
