package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

// options are what the flags say.
type options struct {
	host, socket                 string
	port                         int
	certs                        certFlags
	healthAddr, metricsAddr      string
	kubeconfig, config, policies string
	logLevel, logFormat          string
	onPolicyError                string
	drain                        time.Duration
}

func serveCommand() *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the webhooks until the process is told to stop",
		Long: `Serve the webhooks over TLS and keep the headless Services of multi-node Jobs.

The certificate is read from files and taken anew when they change. With
--certs=self the server makes and renews it, keeps it in a Secret that all
replicas share, and puts its authority into the webhook configurations.

The server is ready (/readyz) once it knows the cluster's nodes, Jobs and what else
rules ask for, its rules are compiled, and it serves a certificate that is valid and, if
it made it, trusted by the webhook configurations. On SIGTERM it first says that
it is not ready, then answers the requests that still come for --drain, and ends.`,
		Example: `  # in a pod, with the certificate that cert-manager mounted
  webhook serve --cert-dir /certs

  # on a laptop, against the current context
  webhook serve --kubeconfig ~/.kube/config --cert-dir ./certs --host 127.0.0.1`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.setLogger(cmd.ErrOrStderr()); err != nil {
				return err
			}
			if err := o.check(); err != nil {
				return err
			}
			cluster, err := o.restConfig()
			if err != nil {
				return err
			}
			return serve(cmd.Context(), cluster, o)
		},
	}
	o.flags(c)
	return c
}

func (o *options) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.host, "host", "", "address to serve the webhooks on (default all)")
	f.IntVar(&o.port, "port", 9443, "port to serve the webhooks on")
	f.StringVar(&o.socket, "socket", "", "`path` of the Unix socket of \"webhook hold\", to serve on the port that it keeps open (default --host and --port)")
	o.certs.flags(f)
	f.StringVar(&o.healthAddr, "health-addr", ":8081", "address of /healthz and /readyz")
	f.StringVar(&o.metricsAddr, "metrics-addr", ":8080", "address of /metrics; 0 for none")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "`file` that says how to reach the cluster (default the pod's own account)")
	f.StringVar(&o.config, "config", "", "configuration `file`")
	f.StringVar(&o.policies, "policies", "", "`folder` of rules besides the built-in ones")
	f.StringVar(&o.onPolicyError, "on-policy-error", "deny", "what to do with a Job when a rule fails to evaluate: deny or allow")
	f.DurationVar(&o.drain, "drain", 5*time.Second, "how long to answer requests after SIGTERM, until no new ones come")
	f.StringVar(&o.logLevel, "log-level", "info", "debug, info, warn or error")
	f.StringVar(&o.logFormat, "log-format", "json", "json or text")
}

// logLevels are all that --log-level takes. Below debug, where slog has more of
// them, client-go logs what the API server answers: whole Jobs, with whatever
// credentials are in those from before the webhook came.
var logLevels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
}

// check refuses what would be found out only when it counts.
func (o *options) check() error {
	if o.onPolicyError != "deny" && o.onPolicyError != "allow" {
		return errors.New("read --on-policy-error: want deny or allow")
	}
	if o.drain < 0 {
		return errors.New("read --drain: want a time such as 5s, or 0")
	}
	return o.certs.check()
}

// setLogger makes everything in the process log through one handler.
func (o *options) setLogger(w io.Writer) error {
	level, ok := logLevels[o.logLevel]
	if !ok {
		return errors.New("read --log-level: want debug, info, warn or error")
	}
	settings := &slog.HandlerOptions{Level: level}
	var handler slog.Handler = slog.NewJSONHandler(w, settings)
	switch o.logFormat {
	case "json":
	case "text":
		handler = slog.NewTextHandler(w, settings)
	default:
		return errors.New("read --log-format: want json or text")
	}
	ctrl.SetLogger(logr.FromSlogHandler(handler))
	klog.SetSlogLogger(slog.New(handler))
	return nil
}

func (o *options) restConfig() (*rest.Config, error) {
	if o.kubeconfig == "" {
		cluster, err := rest.InClusterConfig()
		if err != nil {
			return nil, fmt.Errorf("reach the cluster: %w; outside of a pod, give --kubeconfig", err)
		}
		return cluster, nil
	}
	cluster, err := clientcmd.BuildConfigFromFlags("", o.kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("read --kubeconfig: %w", err)
	}
	return cluster, nil
}
