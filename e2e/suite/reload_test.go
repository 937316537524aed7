package suite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/taojob/taojob/e2e/internal/mount"
	"github.com/taojob/taojob/e2e/webhook"
)

const configHead = "apiVersion: config.tao.nvidia.com/v1alpha1\nkind: Config\n"

// ruleOfOnesOwn refuses Jobs whose annotation example.com/stop has this value.
func ruleOfOnesOwn(value string) []byte {
	return fmt.Appendf(nil, `# METADATA
# title: Job that is to be stopped
# description: For a test.
# custom: {id: stop, action: deny, fix: take the annotation away}
package tao.rules.stop

violation contains {"path": ["metadata"], "message": "stopped by %[1]s"} if {
	input.object.metadata.annotations["example.com/stop"] == "%[1]s"
}
`, value)
}

// reloading is a webhook with a configuration and rules in mounted folders.
type reloading struct {
	*space
	hook             *webhook.Webhook
	config, policies string
}

func startReloading(s *space) *reloading {
	s.Helper()
	dir := s.TempDir()
	r := &reloading{space: s, config: filepath.Join(dir, "config"), policies: filepath.Join(dir, "policies")}
	r.configure(configHead)
	r.rule(ruleOfOnesOwn("one"))
	var err error
	r.hook, err = webhook.Start(s.Context(), plane, webhook.Options{
		Name: "taojob-reload", Namespace: s.name, Log: os.Stderr, Env: []string{"POD_NAME=webhook-1", "POD_UID=u"},
		Args: []string{"--config", filepath.Join(r.config, "config.yaml"), "--policies", r.policies},
	})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(r.hook.Kill)
	return r
}

func (r *reloading) configure(text string) {
	r.Helper()
	if err := mount.Write(r.config, map[string][]byte{"config.yaml": []byte(text)}); err != nil {
		r.Fatal(err)
	}
}

func (r *reloading) rule(text []byte) {
	r.Helper()
	if err := mount.Write(r.policies, map[string][]byte{"stop.rego": text}); err != nil {
		r.Fatal(err)
	}
}

// refusing tells by an error that a Job of that annotation is not refused.
func (r *reloading) refusing(value string) error {
	j := webhook.Job("stopped")
	j.Annotations = map[string]string{"example.com/stop": value}
	_, err := plane.Client.BatchV1().Jobs(r.name).Create(r.Context(), j, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err == nil || !strings.Contains(err.Error(), "stopped by "+value) {
		return fmt.Errorf("the answer is %w", err)
	}
	return nil
}

// injecting tells by an error that Jobs do not get a variable.
func (r *reloading) injecting(name string) error {
	j, err := plane.Client.BatchV1().Jobs(r.name).Create(r.Context(), webhook.Job("with-env"), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		return err
	}
	for _, env := range j.Spec.Template.Spec.Containers[0].Env {
		if env.Name == name {
			return nil
		}
	}
	return errors.New("it is missing")
}

// showing tells by an error that the metrics lack a line.
func (r *reloading) showing(line string) error {
	metrics, err := r.hook.Metrics(r.Context())
	if err == nil && !strings.Contains(metrics, "\n"+line+"\n") {
		err = errors.New("the metrics lack " + line)
	}
	return err
}

func TestAChangedConfigurationIsUsedWithoutAFailedAdmission(t *testing.T) {
	t.Parallel()
	r := startReloading(newSpace(t))
	load := startCreates(t, r.name)
	if err := r.refusing("one"); err != nil {
		t.Error(err)
	}
	r.configure(configHead + "injection: {env: {NCCL_DEBUG: INFO}}\n")
	r.eventually("a variable of the new configuration", func() error { return r.injecting("NCCL_DEBUG") })
	r.rule(ruleOfOnesOwn("two"))
	r.eventually("the new rule", func() error { return r.refusing("two") })
	if err := r.refusing("one"); err == nil {
		t.Error("the old rule is still there")
	}
	r.rule([]byte("package tao.rules.stop\n\nviolation contains if {\n"))
	r.eventually("a failure is counted", func() error { return r.showing(`taojob_config_reloads_total{outcome="failure"} 1`) })
	for _, err := range []error{
		r.showing("taojob_config_last_reload_successful 0"), r.refusing("two"), r.injecting("NCCL_DEBUG"), r.hook.Ready(t.Context()),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	r.eventually("an Event tells of it", r.warned)
	r.rule(ruleOfOnesOwn("three"))
	r.eventually("the mended rule", func() error { return r.refusing("three") })
	r.eventually("the metrics tell of it", func() error { return r.showing("taojob_config_last_reload_successful 1") })
	load.end(t)
	if err := r.hook.Stop(); err != nil {
		t.Error(err)
	}
	log, err := os.ReadFile(r.hook.LogFile)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for line := range strings.Lines(string(log)) {
		if strings.Contains(line, "stop.rego:3:") {
			told = append(told, line)
		}
	}
	if len(told) != 1 || !strings.Contains(told[0], `"level":"ERROR"`) {
		t.Errorf("the log tells of the bad rule: %s", told)
	}
}

// warned tells by an error that the pod has no Event which names file and line.
func (r *reloading) warned() error {
	all, err := plane.Client.EventsV1().Events(r.name).List(r.Context(), metav1.ListOptions{FieldSelector: "reason=ConfigNotUsable"})
	if err != nil {
		return err
	}
	if len(all.Items) != 1 {
		return fmt.Errorf("%d Events", len(all.Items))
	}
	if problem := odd(&all.Items[0]); problem != "" {
		r.Error(problem)
	}
	return nil
}

func odd(e *eventsv1.Event) string {
	if e.Type != corev1.EventTypeWarning || e.Regarding.Kind != "Pod" || e.Regarding.Name != "webhook-1" || e.Regarding.UID != "u" {
		return fmt.Sprintf("it is a %s at %v", e.Type, e.Regarding)
	}
	if !strings.Contains(e.Note, "stop.rego:3:") {
		return "it says " + e.Note
	}
	return ""
}
