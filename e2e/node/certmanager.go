package node

import (
	"context"
	_ "embed"
	"os"
	"path/filepath"
	"strings"

	"github.com/taojob/taojob/e2e/webhook"
)

// CertManager is the folder, in the checkout, of our build of cert-manager.
const CertManager = "e2e/certmanager"

const (
	certManagerImage  = "docker.io/taojob/certmanager:node"
	certManagerModule = "github.com/cert-manager/cert-manager"
)

//go:embed certmanager.yaml
var certManagerManifest string

// StartCertManager runs cert-manager's controllers as a Deployment and waits
// until it is available.
func (n *Node) StartCertManager(ctx context.Context) error {
	root, err := webhook.Root()
	if err != nil {
		return err
	}
	binary := filepath.Join(n.Dir, "certmanager")
	if err := Compile(ctx, root, CertManager, binary); err != nil {
		return err
	}
	err = n.Import(ctx, Image{
		Name: certManagerImage, Files: map[string]string{"/certmanager": binary}, Entrypoint: []string{"/certmanager"},
	})
	if err != nil {
		return err
	}
	crds, err := definitions(ctx, filepath.Join(root, CertManager))
	if err != nil {
		return err
	}
	if err := n.Apply(ctx, crds); err != nil {
		return err
	}
	if err := n.Apply(ctx, certManagerManifest); err != nil {
		return err
	}
	return n.Available(ctx, "cert-manager", "cert-manager")
}

// definitions are cert-manager's custom resources, from its module.
func definitions(ctx context.Context, module string) (string, error) {
	dir, err := output(ctx, "go", "-C", module, "list", "-m", "-f", "{{.Dir}}", certManagerModule)
	if err != nil {
		return "", err
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "deploy", "crds", "cert-manager.io_*.yaml"))
	if err != nil {
		return "", err
	}
	var all strings.Builder
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		all.WriteString("---\n" + string(content))
	}
	return all.String(), nil
}
