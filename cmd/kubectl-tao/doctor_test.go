package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taojob/taojob/pkg/audit"
)

// endpoint answers a path with a code and a body.
type endpoint func(path string) (code int, body string)

const aVersion = `{"major":"1","minor":"37","gitVersion":"v1.37.2"}`

func refusing(code int, reason string) endpoint {
	return func(path string) (int, string) {
		if path == "/version" {
			return http.StatusOK, aVersion
		}
		return code, fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"code":%d}`, reason, code)
	}
}

// kubeconfigOf serves an endpoint, and writes a kubeconfig that names it. Who
// answers with code 0 hangs up.
func kubeconfigOf(t *testing.T, answer endpoint) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		code, body := answer(r.URL.Path)
		if code == 0 {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "config")
	text := "clusters: [{name: a, cluster: {server: \"" + server.URL + "\"}}]\n" +
		"contexts: [{name: a, context: {cluster: a}}]\ncurrent-context: a\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestDoctorOfUnusualClusters(t *testing.T) {
	for name, tc := range map[string]struct {
		answer endpoint
		says   string
	}{
		"a page for people":           {func(string) (int, string) { return http.StatusOK, "<html>" }, "no Kubernetes API server"},
		"another JSON":                {func(string) (int, string) { return http.StatusOK, "{}" }, "no Kubernetes API server"},
		"nothing at that address":     {func(string) (int, string) { return http.StatusNotFound, "" }, "no Kubernetes API server"},
		"a cluster that is not there": {func(string) (int, string) { return 0, "" }, "read the version: "},
		"one that is lost midway":     {refusing(0, ""), "ask the cluster: list nodes: "},
		"credentials that have ended": {refusing(http.StatusUnauthorized, "Unauthorized"), "log in again"},
		"no rights at all":            {refusing(http.StatusForbidden, "Forbidden"), "you may not look at this cluster"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := execute(t, "", "doctor", "--kubeconfig", kubeconfigOf(t, tc.answer))
			if code != audit.ExitBadInput || !strings.Contains(stderr, tc.says) {
				t.Errorf("exit %d, want 2 and %q in\n%s%s", code, tc.says, stdout, stderr)
			}
		})
	}
}

func TestDoctorIsInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	config := kubeconfigOf(t, func(path string) (int, string) {
		if path != "/version" {
			interrupt()
			<-ctx.Done()
		}
		return http.StatusOK, aVersion
	})
	var stdout, stderr bytes.Buffer
	code := run(ctx, []string{"doctor", "--kubeconfig", config}, strings.NewReader(""), &stdout, &stderr)
	if want := "error: interrupted: nothing was judged\n"; code != audit.ExitBadInput || stderr.String() != want || stdout.Len() > 0 {
		t.Errorf("exit %d: %s%s", code, stdout.String(), stderr.String())
	}
}

func TestDoctorSaysWhichClusterIsMeant(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	config := kubeconfigOf(t, refusing(http.StatusForbidden, "Forbidden"))
	for name, tc := range map[string]struct {
		args []string
		says string
	}{
		"no kubeconfig":             {nil, "there is no kubeconfig: name one by --kubeconfig"},
		"an unknown context":        {[]string{"--kubeconfig", config, "--context", "x"}, `context "x" does not exist`},
		"no name for a namespace":   {[]string{"--kubeconfig", config, "-n", "a/b"}, "read the namespace's name"},
		"a kubeconfig not a file's": {[]string{"--kubeconfig", "nowhere"}, "nowhere: no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			code, _, stderr := execute(t, "", append([]string{"doctor"}, tc.args...)...)
			if code != audit.ExitBadInput || !strings.Contains(stderr, tc.says) {
				t.Errorf("exit %d, want 2 and %q in %s", code, tc.says, stderr)
			}
		})
	}
}
