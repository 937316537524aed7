package chart

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestExamples takes every values file through what an installation does.
func TestExamples(t *testing.T) {
	chart := filepath.Join(root, folder)
	for _, values := range examples(t) {
		name := filepath.Base(values)
		t.Run(name, func(t *testing.T) {
			must(t, "", helm, "lint", "--strict", chart, "-f", values)
			// With --validate helm asks the cluster for its version, as an installation does.
			rendered := must(t, "", helm, "template", "taojob", chart, "-n", Namespace, "-f", values, "--validate")
			r := run(t.Context(), rendered, plane.Assets.Kubectl(), "apply", "--dry-run=server", "-f", "-")
			if r.err != nil {
				t.Fatalf("apply: %v: %s%s", r.err, r.out, r.said)
			}
			// A node's network is the one thing that the level "restricted" does not let pods have.
			warned := strings.Contains(r.said, "would violate PodSecurity") && strings.Contains(r.said, "hostNetwork=true")
			if wanted := name == "full-values.yaml"; warned != wanted || !wanted && r.said != "" {
				t.Errorf("the API server says %q", r.said)
			}
			if conditions := strings.Contains(rendered, "matchConditions:"); conditions == old() {
				t.Errorf("match conditions: %t", conditions)
			}
		})
	}
}

// TestNames installs under other names, which must not get in each other's way.
func TestNames(t *testing.T) {
	for release, want := range map[string]string{
		"taojob":                   "taojob",
		"training":                 "training-taojob",
		"my-taojob-canary":         "my-taojob-canary",
		strings.Repeat("long", 13): strings.Repeat("long", 8) + "l-taojob",
	} {
		t.Run(release, func(t *testing.T) {
			rendered := must(t, "", helm, "template", release, filepath.Join(root, folder), "-n", "elsewhere")
			for _, name := range []string{"name: " + want, "name: " + want + "-webhook", "values: [\"kube-system\",\"elsewhere\"]"} {
				if !strings.Contains(rendered, name+"\n") {
					t.Errorf("%q is not in what was rendered", name)
				}
			}
		})
	}
}

func TestWrongValues(t *testing.T) {
	for reason, tc := range map[string]struct{ set, want string }{
		"an unknown mode is told with those there are":      {"certs.mode=letsencrypt", "at '/certs/mode': value must be one of 'cert-manager', 'self', 'provided'"},
		"a misspelled value is told":                        {"replicas=3", "at '': additional properties 'replicas' not allowed"},
		"a misspelled value below another is told":          {"image.repo=x", "at '/image': additional properties 'repo' not allowed"},
		"a misspelled setting of the configuration is told": {"config.rule.gpu-capacity=warn", "at '/config': additional properties 'rule' not allowed"},
		"an action of a rule is a known one":                {"config.rules.gpu-capacity=refuse", "at '/config/rules/gpu-capacity': value must be one of 'deny', 'warn', 'audit', 'off'"},
		"a variable has a name that programs can read":      {"config.injection.env.1ST=x", "at '/config/injection/env': additional properties '1ST' not allowed"},
		"a number of replicas is a number":                  {"replicaCount=two", "at '/replicaCount': got string, want integer"},
		"a tag does not pass for a digest":                  {"image.digest=latest", "at '/image/digest': 'latest' does not match pattern"},
		"a policy is a file with a known ending":            {"policies.rule=x", "at '/policies': additional properties 'rule' not allowed"},
		"provided certificates need their Secret":           {"certs.mode=provided,certs.provided.caBundle=QQ==", "certs.provided.secretName: name the Secret with the certificate, or choose another certs.mode"},
		"provided certificates need their authority":        {"certs.mode=provided,certs.provided.secretName=mine", "certs.provided.caBundle: give the authority that signed the certificate"},
		"an authority is in base64":                         {"certs.provided.caBundle=-----BEGIN", "at '/certs/provided/caBundle': '-----BEGIN' does not match pattern"},
		"a misspelled property of an issuer is told":        {"certs.certManager.issuerRef.nane=x", "at '/certs/certManager/issuerRef': additional properties 'nane' not allowed"},
		"the API server waits half a minute at most":        {"webhooks.timeoutSeconds=60", "at '/webhooks/timeoutSeconds': maximum: got 60, want 30"},
		"a failure policy is one of two":                    {"webhooks.failurePolicy=fail", "at '/webhooks/failurePolicy': value must be one of 'Fail', 'Ignore'"},
		"a level of the log is a known one":                 {"log.level=trace", "at '/log/level': value must be one of 'debug', 'info', 'warn', 'error'"},
		"what is done on a policy's error is one of two":    {"onPolicyError=warn", "at '/onPolicyError': value must be one of 'deny', 'allow'"},
		"a duration has a unit":                             {"drain=5", "at '/drain': got number, want string"},
		"a port is one that there is":                       {"ports.webhook=70000", "at '/ports/webhook': maximum: got 70,000, want 65,535"},
		"an excluded namespace is a name":                   {"webhooks.excludedNamespaces={Team A}", "at '/webhooks/excludedNamespaces/0': 'Team A' does not match pattern"},
		"annotations are strings":                           {"podAnnotations.a=1", "at '/podAnnotations/a': got number, want string"},
		"rules of what the pods may reach are a list":       {"networkPolicy.egress=none", "at '/networkPolicy/egress': got string, want array"},
		"what is on or off is no word":                      {"dashboard.enabled=maybe", "at '/dashboard/enabled': got string, want boolean"},
	} {
		t.Run(reason, func(t *testing.T) {
			r := run(t.Context(), "", helm, "template", "taojob", filepath.Join(root, folder), "--set", tc.set)
			if r.err == nil || !strings.Contains(r.said, tc.want) {
				t.Errorf("render with %s: %v, %s\nwant an error that says %s", tc.set, r.err, r.said, tc.want)
			}
		})
	}
}
