package doctor

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiversion "k8s.io/apimachinery/pkg/version"
	discoveryfake "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// answering is a cluster that answers every question with an error.
func answering(err error) *fake.Clientset {
	c := fake.NewClientset()
	c.Discovery().(*discoveryfake.FakeDiscovery).FakedServerVersion = &apiversion.Info{Major: "1", Minor: "37", GitVersion: "v1.37.2"}
	c.PrependReactor("*", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		return a.GetResource().Resource != "version", nil, err
	})
	return c
}

func TestGather(t *testing.T) {
	lost := errors.New("connection refused")
	for reason, tc := range map[string]struct {
		answer error
		want   error
		asked  int
	}{
		"who may not look is asked on":      {errForbidden, nil, len(questions)},
		"a cluster that is lost ends it":    {lost, lost, 2},
		"bad credentials end it":            {errUnauthorized, errUnauthorized, 2},
		"a namespace that is not there not": {errNoNamespace, nil, len(questions)},
	} {
		t.Run(reason, func(t *testing.T) {
			var asked []string
			s, err := Gather(t.Context(), answering(tc.answer), "vision", func(what string) { asked = append(asked, what) })
			if !errors.Is(err, tc.want) || (s == nil) != (err != nil) {
				t.Errorf("error %v, want %v", err, tc.want)
			}
			if len(asked) != tc.asked {
				t.Errorf("asked %v", asked)
			}
		})
	}
}

var errUnauthorized = apierrors.NewUnauthorized("no")

func TestWhoMayNotLookKnowsNothing(t *testing.T) {
	s, err := Gather(t.Context(), answering(errForbidden), "vision", func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if r := Examine(s); !r.Blind() || r.Failed() {
		t.Errorf("blind: %t, failed: %t: %+v", r.Blind(), r.Failed(), r.Findings)
	}
	if Examine(healthy(t)).Blind() {
		t.Error("who sees everything is blind")
	}
}

func TestAMissingNamespaceIsNotTheWebhooksFault(t *testing.T) {
	s := healthy(t)
	s.Own.Err, s.MayCreate.Value = apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "vision"), true
	if err := s.try(t.Context(), nil, &s.Good, goodJob()); !errors.Is(err, errNotAsked) {
		t.Errorf("a Job is tried: %v", err)
	}
	var failed []string
	for _, f := range Examine(s).Findings {
		if f.Status != OK {
			failed = append(failed, f.Check)
		}
	}
	if diff := cmp.Diff([]string{"namespace"}, slices.Compact(failed)); diff != "" {
		t.Error(diff)
	}
}

func TestAQuestionEnds(t *testing.T) {
	silent := func(ctx context.Context, _ kubernetes.Interface, _ *Snapshot) error { <-ctx.Done(); return ctx.Err() }
	for reason, tc := range map[string]struct {
		interrupted bool
		limit       time.Duration
		want        error
	}{
		"after its own limit":         {false, 0, errSilent},
		"when a person interrupts it": {true, time.Hour, context.Canceled},
	} {
		t.Run(reason, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if tc.interrupted {
				cancel()
			}
			if err := (question{"", tc.limit, silent}).put(ctx, nil, nil); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
}
