package webhook

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"
)

// objects are what config/ gives a cluster.
type objects struct {
	mutating   admissionv1.MutatingWebhookConfiguration
	validating admissionv1.ValidatingWebhookConfiguration
	role       rbacv1.ClusterRole
}

// readConfig reads the objects of the checkout's config/.
func readConfig(root string) (*objects, error) {
	o := &objects{}
	for file, wanted := range map[string]map[string]any{
		"config/webhook/webhooks.yaml": {
			"MutatingWebhookConfiguration/taojob":   &o.mutating,
			"ValidatingWebhookConfiguration/taojob": &o.validating,
		},
		"config/webhook/clusterrole.yaml": {"ClusterRole/taojob-webhook": &o.role},
	} {
		if err := readObjects(filepath.Join(root, file), wanted); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// readObjects decodes those documents of a file that are wanted, by kind and
// name. Unknown fields and documents that are not there are errors.
func readObjects(path string, wanted map[string]any) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read config: %w", err)
	}
	found := 0
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
		var head metav1.PartialObjectMetadata
		if err := sigsyaml.Unmarshal(document, &head); err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
		into, ok := wanted[head.Kind+"/"+head.Name]
		if !ok {
			continue
		}
		if err := sigsyaml.UnmarshalStrict(document, into); err != nil {
			return fmt.Errorf("read %s of %s: %w", head.Kind, path, err)
		}
		found++
	}
	if found != len(wanted) {
		return fmt.Errorf("read %s: it has %d of the %d objects that should be there", path, found, len(wanted))
	}
	return nil
}
