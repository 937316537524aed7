package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestCheck(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	for _, file := range []string{filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key"), filepath.Join(other, "own.key")} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(filepath.Dir(dir))
	good := options{certs: certFlags{from: "provided", dir: dir, file: "tls.crt", keyFile: "tls.key"}, onPolicyError: "deny", drain: time.Second}
	for name, tc := range map[string]struct {
		change func(*options)
		key    string // where the key then is
		says   string
	}{
		"files in the folder":           {func(*options) {}, filepath.Join(dir, "tls.key"), ""},
		"a folder below this one":       {func(o *options) { o.certs.dir = filepath.Base(dir) }, filepath.Join(dir, "tls.key"), ""},
		"a key elsewhere":               {func(o *options) { o.certs.keyFile = filepath.Join(other, "own.key") }, filepath.Join(other, "own.key"), ""},
		"no drain":                      {func(o *options) { o.drain = 0 }, filepath.Join(dir, "tls.key"), ""},
		"a certificate that is missing": {func(o *options) { o.certs.file = "no.crt" }, "", "--cert-dir"},
		"an outcome nobody knows":       {func(o *options) { o.onPolicyError = "ignore" }, "", "want deny or allow"},
		"a negative drain":              {func(o *options) { o.drain = -1 }, "", "--drain"},
	} {
		t.Run(name, func(t *testing.T) {
			o := good
			tc.change(&o)
			err := o.check()
			if tc.says != "" {
				if err == nil || !strings.Contains(err.Error(), tc.says) {
					t.Errorf("the error is %v", err)
				}
				return
			}
			if err != nil || o.certs.keyFile != tc.key {
				t.Errorf("the key is %s, want %s: %v", o.certs.keyFile, tc.key, err)
			}
		})
	}
}

func TestCommands(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		out  string
		err  string
	}{
		"the version is printed":             {[]string{"version"}, "dev\n", ""},
		"a flag nobody knows is refused":     {[]string{"serve", "--port", "x"}, "", "--port"},
		"arguments are refused":              {[]string{"serve", "now"}, "", "unknown command"},
		"a missing certificate is told":      {[]string{"serve", "--cert-dir", "/nowhere"}, "", "find the certificate"},
		"an outcome nobody knows is refused": {[]string{"serve", "--on-policy-error", "x"}, "", "want deny or allow"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			c := command()
			c.SetArgs(tc.args)
			c.SetOut(&out)
			c.SetErr(&out)
			err := c.Execute()
			if tc.err == "" {
				if err != nil || out.String() != tc.out {
					t.Errorf("printed %q: %v", out.String(), err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	file := func(t *testing.T, text string) string {
		t.Helper()
		name := filepath.Join(t.TempDir(), "x.rego")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	const head = "apiVersion: config.tao.nvidia.com/v1alpha1\nkind: Config\n"
	mine := "# METADATA\n# title: a\n# description: b\n# custom: {id: mine, action: warn, fix: c}\npackage tao.rules.mine\n\nviolation contains {} if false\n"
	for name, tc := range map[string]struct {
		config, policy string
		folder         string // of policies
		rule           string // that must be there
		says           string
	}{
		"without files, the built-in rules":     {rule: "gpu-capacity"},
		"rules of one's own come on top":        {policy: mine, rule: "mine"},
		"the file names rules of one's own too": {policy: mine, config: head + "rules: {mine: deny}\n", rule: "mine"},
		"a rule that is not there is refused":   {config: head + "rules: {mine: deny}\n", says: "unknown rule"},
		"a field nobody knows is refused":       {config: head + "rule: {}\n", says: "unknown field"},
		"a folder that is missing is told":      {folder: "/nowhere", says: "read policies: there is no folder /nowhere"},
		"a file for a folder is told":           {folder: os.Args[0], says: "read policies: there is no folder"},
		"a bad policy is refused by file":       {policy: "package tao.rules.mine\n", says: "x.rego"},
	} {
		t.Run(name, func(t *testing.T) {
			o := &options{}
			if tc.config != "" {
				o.config = file(t, tc.config)
			}
			if tc.policy != "" {
				o.policies = filepath.Dir(file(t, tc.policy))
			}
			if tc.folder != "" {
				o.policies = tc.folder
			}
			s, err := load(t.Context(), o)
			if tc.says != "" {
				if err == nil || !strings.Contains(err.Error(), tc.says) {
					t.Errorf("the error is %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, rule := range s.policy.Engine.Rules() {
				if rule.ID == tc.rule {
					return
				}
			}
			t.Errorf("rule %s is missing", tc.rule)
		})
	}
}

func TestTheServerIsReadyUntilItIsToldToStopAndServesABitLonger(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stopping := &atomic.Bool{}
	later := drained(ctx, stopping, time.Millisecond)
	if stopping.Load() || later.Err() != nil {
		t.Fatal("it stopped before it was told to")
	}
	stop()
	<-later.Done()
	if !stopping.Load() {
		t.Error("it said that it was ready to the end")
	}
}
