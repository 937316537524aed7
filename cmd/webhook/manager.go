package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/taojob/taojob/pkg/admission"
	"github.com/taojob/taojob/pkg/capacity"
	"github.com/taojob/taojob/pkg/mutate"
	"github.com/taojob/taojob/pkg/rendezvous"
	"github.com/taojob/taojob/pkg/validate"
)

// serve runs until ctx ends and then drains.
func serve(ctx context.Context, cluster *rest.Config, o *options) error {
	cluster.QPS, cluster.Burst = 50, 100 // a burst of Jobs wants a burst of Services
	served := &certificate{}
	hooks := newServer(o, served)
	mgr, err := newManager(cluster, o, hooks)
	if err != nil {
		return fmt.Errorf("set up: %w", err)
	}
	files, err := follow(ctx, o, mgr.GetClient())
	if err != nil {
		return err
	}
	if err := mgr.Add(files); err != nil {
		return fmt.Errorf("set up: %w", err)
	}
	if err := served.setUp(mgr, &o.certs); err != nil {
		return fmt.Errorf("set up the certificate: %w", err)
	}
	seen := &observed{nodes: capacity.NewIndex(), objects: mgr.GetClient()}
	if err := watchFacts(ctx, mgr, seen); err != nil {
		return fmt.Errorf("watch the cluster: %w", err)
	}
	hooks.ready = func() bool { return seen.synced() && served.source.Present() }
	register(hooks, files.Get, seen, o.onPolicyError == "allow")
	instance, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("set up the reconciler: %w", err)
	}
	reconciler := &rendezvous.Reconciler{Client: mgr.GetClient(), Instance: instance}
	if err := reconciler.SetupWithManager(ctx, mgr); err != nil {
		return fmt.Errorf("set up the reconciler: %w", err)
	}
	stopping := &atomic.Bool{}
	if err := addProbes(mgr, seen, stopping); err != nil {
		return fmt.Errorf("set up probes: %w", err)
	}
	return mgr.Start(drained(ctx, stopping, o.drain))
}

func newManager(cluster *rest.Config, o *options, hooks webhook.Server) (ctrl.Manager, error) {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, err
	}
	kept := cacheOptions()
	if self := o.certs.self(); self != nil {
		self.Cache(&kept)
	}
	return ctrl.NewManager(cluster, ctrl.Options{
		Scheme:                 scheme,
		Cache:                  kept,
		HealthProbeBindAddress: o.healthAddr,
		Metrics:                metricsserver.Options{BindAddress: o.metricsAddr},
		WebhookServer:          hooks,
	})
}

// register serves the webhooks under the paths that the configuration objects name.
func register(server webhook.Server, use func() *settings, seen *observed, allowOnError bool) {
	mutator := &admission.Mutator{Options: func() mutate.Options { return use().options }}
	validator := &admission.Validator{
		Policy: func() *validate.Policy { return use().policy }, Cluster: seen.cluster, AllowOnError: allowOnError,
	}
	server.Register("/mutate-job", mutator.Webhook())
	server.Register("/validate-job", validator.JobWebhook())
	server.Register("/validate-cronjob", validator.CronJobWebhook())
}

// addProbes serves /healthz, and /readyz: the caches are complete and the
// webhooks are served. The rules are compiled before anything is served.
func addProbes(mgr ctrl.Manager, seen *observed, stopping *atomic.Bool) error {
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	if err := mgr.AddReadyzCheck("webhooks", mgr.GetWebhookServer().StartedChecker()); err != nil {
		return err
	}
	return mgr.AddReadyzCheck("caches", func(*http.Request) error {
		switch {
		case stopping.Load():
			return errors.New("stopping")
		case !seen.synced():
			return errors.New("waiting for the cluster's objects")
		}
		return nil
	})
}

// drained returns a context that ends some time after ctx does. Endpoints are
// updated after a pod is told to stop, so requests still come for a while.
func drained(ctx context.Context, stopping *atomic.Bool, drain time.Duration) context.Context {
	later, cancel := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() {
		stopping.Store(true)
		time.AfterFunc(drain, cancel)
	})
	return later
}
