// Package config reads the one configuration file that the webhook and the
// kubectl plugin share, so that both inject and judge alike.
package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/taojob/taojob/pkg/mutate"
	"github.com/taojob/taojob/pkg/validate"
)

// APIVersion and Kind head every configuration file.
const (
	APIVersion = "config.tao.nvidia.com/v1alpha1"
	Kind       = "Config"
)

// Config is the file. The zero value of everything below its head is the default.
type Config struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Injection are the cluster's settings for what Jobs get.
	Injection Injection `json:"injection"`
	// Rules maps a rule's id to its action, deny, warn, audit or off, instead of
	// the rule's own. Which ids there are, only the loaded policies know:
	// validate.New checks them.
	Rules validate.Actions `json:"rules"`
	// Namespaces change what rules do in some namespaces; later ones win.
	Namespaces []Namespaces `json:"namespaces"`
	// Exceptions let Jobs violate rules until a day.
	Exceptions []Exception `json:"exceptions"`
	// Unknown says what it leads to that a rule could not be judged, by the rule's
	// id or "*" for all others: audit, the default, warn or deny.
	Unknown validate.Actions `json:"unknown"`
}

// Injection are the cluster's settings for what Jobs get.
type Injection struct {
	// Env are variables for training containers, such as NCCL_SOCKET_IFNAME; nil for none.
	Env map[string]string `json:"env"`
	// ShmSize is the default size of /dev/shm; nil means 16Gi.
	ShmSize *resource.Quantity `json:"shmSize"`
	// ImagePullSecret is for nvcr.io images of Jobs that name none; empty for none.
	ImagePullSecret string `json:"imagePullSecret"`
}

// Read reads the file of that name; the errors name it, and the line where
// there is one.
func Read(name string) (*Config, error) {
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read config: %w", err)
	}
	c, err := Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("read config %s: %w", name, err)
	}
	return c, nil
}

// Parse reads a configuration. A field that is not known is an error: a
// mistyped setting must not pass for a default.
func Parse(raw []byte) (*Config, error) {
	c := &Config{}
	if err := decode(raw, c); err != nil {
		return nil, err
	}
	if c.APIVersion != APIVersion || c.Kind != Kind {
		return nil, fmt.Errorf("want apiVersion: %s and kind: %s", APIVersion, Kind)
	}
	return c, errors.Join(c.Injection.check(), c.checkPolicy())
}

// check refuses what would make the API server refuse every Job.
func (i *Injection) check() error {
	for _, name := range slices.Sorted(maps.Keys(i.Env)) {
		if len(validation.IsEnvVarName(name)) > 0 {
			return fmt.Errorf("injection.env: %q is no name of a variable: want letters, digits, _, - or ., and no digit first", name)
		}
	}
	if i.ShmSize != nil && i.ShmSize.Sign() <= 0 {
		return errors.New("injection.shmSize: want a size such as 16Gi")
	}
	if i.ImagePullSecret != "" && len(validation.IsDNS1123Subdomain(i.ImagePullSecret)) > 0 {
		return errors.New("injection.imagePullSecret: want the name of a Secret")
	}
	return nil
}

// Options are what mutate.Mutate takes; NameSuffix is left to the caller.
func (c *Config) Options() mutate.Options {
	o := mutate.Options{Env: c.Injection.Env, ImagePullSecret: c.Injection.ImagePullSecret}
	if c.Injection.ShmSize != nil {
		o.ShmSize = *c.Injection.ShmSize
	}
	return o
}
