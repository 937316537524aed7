package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/types"

	"github.com/taojob/taojob/pkg/certs"
)

func TestCertFlags(t *testing.T) {
	own := []string{"--certs=self", "--cert-secret=tls", "--cert-service=hook", "--webhook-configuration=tao"}
	made := certs.Options{
		Secret: types.NamespacedName{Namespace: "tao", Name: "tls"}, Names: []string{"hook.tao.svc"}, Configuration: "tao",
		CADuration: 87600 * time.Hour, CertDuration: 2160 * time.Hour,
	}
	outside := made
	outside.Names = []string{"hook.tao.svc", "hook.example.com"}
	for name, tc := range map[string]struct {
		args      []string
		namespace string
		want      certs.Options
		says      string
	}{
		"a server that makes its own needs three names": {args: own, namespace: "tao", want: made},
		"further names are for URLs":                    {args: append(own, "--cert-names=hook.example.com"), namespace: "tao", want: outside},
		"one of the three that is missing is told":      {args: own[:3], namespace: "tao", says: "want --cert-secret, --cert-service and --webhook-configuration"},
		"a namespace that is not known is told":         {args: own, says: "$POD_NAMESPACE"},
		"an authority as short as a certificate is not": {args: append(own, "--ca-duration=2160h"), namespace: "tao", says: "at least three times"},
		"no time at all is refused":                     {args: append(own, "--cert-duration=0s"), namespace: "tao", says: "want a time for certificates"},
		"another source is refused":                     {args: []string{"--certs=acme"}, says: "want provided or self"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("POD_NAMESPACE", tc.namespace)
			var o certFlags
			f := pflag.NewFlagSet("", pflag.ContinueOnError)
			o.flags(f)
			if err := f.Parse(tc.args); err != nil {
				t.Fatal(err)
			}
			err := o.check()
			if tc.says != "" {
				if err == nil || !strings.Contains(err.Error(), tc.says) {
					t.Errorf("the error is %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&tc.want, o.self()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
