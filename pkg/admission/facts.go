package admission

import (
	"context"
	"sync/atomic"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/taojob/taojob/pkg/capacity"
	"github.com/taojob/taojob/pkg/job"
	"github.com/taojob/taojob/pkg/rendezvous"
	"github.com/taojob/taojob/pkg/validate"
)

// Facts are what is known of the cluster. All of it is in memory: an admission
// makes no API call.
type Facts struct {
	// Nodes is fed by an informer.
	Nodes *capacity.Index
	// Services reads from the cache.
	Services client.Reader
	// Version is the API server's, nil while it is not known.
	Version atomic.Pointer[validate.Version]
	// Synced tells whether Nodes and Services are complete. Before that they are
	// not known: a node that is still to come must not be missed. Nil means yes.
	Synced func() bool
}

// of returns what the rules may know of one Job. What depends on its pods is
// left out where these are not as they will be: what is refused has to be put
// right first.
func (f *Facts) of(ctx context.Context, s subject) validate.Facts {
	facts := validate.Facts{KubeVersion: f.Version.Load()}
	if s.crude || (f.Synced != nil && !f.Synced()) {
		return facts
	}
	fits := validate.Capacity(f.Nodes.Fit(job.PodTemplate(s.job, s.job.Namespace), int(s.training.Nodes)))
	facts.Capacity = &fits
	facts.Service = f.service(ctx, s.job, s.training)
	return facts
}

// service says what stands under the name of the headless Service; nil when
// none is needed or the cache cannot tell.
func (f *Facts) service(ctx context.Context, j *batchv1.Job, t *job.Training) *validate.Service {
	if !t.MultiNode() || t.Service == "" {
		return nil
	}
	s := &corev1.Service{}
	err := f.Services.Get(ctx, client.ObjectKey{Namespace: j.Namespace, Name: t.Service}, s)
	switch {
	case apierrors.IsNotFound(err):
		return rendezvous.Inspect(nil, j)
	case err != nil:
		return nil
	}
	return rendezvous.Inspect(s, j)
}
