package main

import (
	"context"

	"github.com/spf13/cobra"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// nothingOptions are the flags that cmd/webhook has, of which some mean
// nothing here.
type nothingOptions struct {
	certDir, host, health, metrics, kubeconfig string
	port                                       int
}

// nothingCommand is the pair of webhooks that ours are compared with: they
// decode a Job, encode their answer and do nothing between.
func nothingCommand() *cobra.Command {
	var o nothingOptions
	cmd := &cobra.Command{
		Use: "nothing", Short: "Serve webhooks that do nothing", Args: cobra.NoArgs, Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error { return serveNothing(cmd.Context(), o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.certDir, "cert-dir", "", "folder of tls.crt and tls.key")
	f.StringVar(&o.host, "host", "", "address to listen on")
	f.IntVar(&o.port, "port", 0, "port to listen on")
	f.StringVar(&o.health, "health-addr", "", "address of readyz")
	f.StringVar(&o.metrics, "metrics-addr", "", "address of the metrics")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "how to reach the API server")
	f.String("log-level", "", "ignored")
	return cmd
}

func serveNothing(ctx context.Context, o nothingOptions) error {
	ctrl.SetLogger(zap.New())
	scheme := runtime.NewScheme()
	if err := batchv1.AddToScheme(scheme); err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", o.kubeconfig)
	if err != nil {
		return err
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme, HealthProbeBindAddress: o.health, Metrics: metrics.Options{BindAddress: o.metrics},
		WebhookServer: webhook.NewServer(webhook.Options{Host: o.host, Port: o.port, CertDir: o.certDir}),
	})
	if err != nil {
		return err
	}
	server := mgr.GetWebhookServer()
	server.Register("/mutate-job", admission.WithDefaulter(scheme, nothing[*batchv1.Job]{}))
	server.Register("/validate-job", admission.WithValidator(scheme, nothing[*batchv1.Job]{}))
	server.Register("/validate-cronjob", admission.WithValidator(scheme, nothing[*batchv1.CronJob]{}))
	if err := mgr.AddReadyzCheck("webhook", server.StartedChecker()); err != nil {
		return err
	}
	return mgr.Start(ctx)
}

type nothing[T runtime.Object] struct{}

func (nothing[T]) Default(context.Context, T) error { return nil }

func (nothing[T]) ValidateCreate(context.Context, T) (admission.Warnings, error) { return nil, nil }

func (nothing[T]) ValidateUpdate(context.Context, T, T) (admission.Warnings, error) { return nil, nil }

func (nothing[T]) ValidateDelete(context.Context, T) (admission.Warnings, error) { return nil, nil }
