package webhook

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/taojob/taojob/e2e/internal/process"
)

// Secret is the name of that which holds the certificate of a webhook with
// Options.Self, in its namespace.
func (w *Webhook) Secret() string { return w.opts.Name + "-webhook-tls" }

// selfArgs make a webhook keep its own certificate. The API server calls it by
// a URL here, whose host no Service has.
func (w *Webhook) selfArgs() []string {
	return []string{
		"--certs", "self", "--cert-secret", w.Secret(), "--cert-service", w.opts.Name + "-webhook",
		"--cert-names", "localhost", "--webhook-configuration", w.opts.Name,
	}
}

// prepareSelf makes the namespace, the empty Secret, and the permissions for it
// and for the webhook configurations, as an installation does.
func (w *Webhook) prepareSelf(ctx context.Context) error {
	if w.opts.Namespace == "" {
		return errors.New("want a namespace for the webhook's Secret")
	}
	core, name, user := w.cluster.Client.CoreV1(), w.opts.Name+"-webhook-certs", w.opts.Name+"-webhook"
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.opts.Namespace}}
	if _, err := core.Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create namespace: %w", err)
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: w.Secret()}}
	if _, err := core.Secrets(w.opts.Namespace).Create(ctx, secret, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create Secret: %w", err)
	}
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: []rbacv1.PolicyRule{{
		APIGroups: []string{""}, Resources: []string{"secrets"}, ResourceNames: []string{w.Secret()},
		Verbs: []string{"get", "list", "watch", "update"},
	}}}
	everywhere := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: []rbacv1.PolicyRule{{
		APIGroups: []string{admissionv1.GroupName}, ResourceNames: []string{w.opts.Name},
		Resources: []string{"mutatingwebhookconfigurations", "validatingwebhookconfigurations"},
		Verbs:     []string{"get", "list", "watch", "update"},
	}}}
	subjects := []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}}
	rbac := w.cluster.Client.RbacV1()
	_, err1 := rbac.Roles(w.opts.Namespace).Create(ctx, role, metav1.CreateOptions{})
	_, err2 := rbac.RoleBindings(w.opts.Namespace).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Subjects: subjects, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
	}, metav1.CreateOptions{})
	_, err3 := rbac.ClusterRoles().Create(ctx, everywhere, metav1.CreateOptions{})
	_, err4 := rbac.ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Subjects: subjects, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
	}, metav1.CreateOptions{})
	return errors.Join(err1, err2, err3, err4)
}

// Join runs another replica: a process with addresses of its own, which the
// API server does not ask.
func (w *Webhook) Join(ctx context.Context) (*Webhook, error) {
	replica := *w
	replica.process, replica.Dir = nil, w.Dir+"-second"
	replica.LogFile = process.LogFile(replica.Dir, folder)
	if err := os.MkdirAll(replica.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	binary := filepath.Join(replica.Dir, filepath.Base(w.command[0]))
	if err := os.Link(w.command[0], binary); err != nil {
		return nil, err
	}
	if err := replica.choosePorts(); err != nil { //nolint:contextcheck // a port is free or not at once
		return nil, err
	}
	replica.command = append([]string{binary}, w.command[1:]...)
	replica.command = append(replica.command, replica.addresses()...)
	return &replica, replica.Run(ctx)
}

// roots are what the API server trusts.
func (w *Webhook) roots(ctx context.Context) (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	c, err := w.cluster.Client.AdmissionregistrationV1().MutatingWebhookConfigurations().Get(ctx, w.opts.Name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("read whom the API server trusts: %w", err)
	}
	for i := range c.Webhooks {
		pool.AppendCertsFromPEM(c.Webhooks[i].ClientConfig.CABundle)
	}
	return pool, nil
}

// folderOf is where the files of a webhook of that name are.
func folderOf(clusterDir, name string) string {
	if name == "taojob" {
		name = folder
	}
	return filepath.Join(clusterDir, name)
}
