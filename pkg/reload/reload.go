// Package reload keeps what is read from files up to date while the process
// runs. A change is taken into use as a whole, or not at all: whatever cannot
// be read leaves the last that could in use.
package reload

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// DefaultEvery is how often files are looked at. The kubelet takes up to a
// minute or two to bring a changed ConfigMap, so that there is no haste; and
// looking, rather than being told by the kernel, works on every file system and
// through whatever links the kubelet turns.
const DefaultEvery = 2 * time.Second

// Options say what to follow.
type Options struct {
	// Paths are files and folders, which are looked at with all that is in them.
	Paths []string
	// Every is how often; 0 means DefaultEvery.
	Every time.Duration
	// Failed is told once of each change that is not usable. Nil for nobody.
	Failed func(ctx context.Context, err error)
}

// Files is a value that is read from files.
type Files[T any] struct {
	opts   Options
	read   func(context.Context) (T, error)
	value  atomic.Pointer[T]
	looked fingerprint // what was last read, usable or not
}

// New reads the value for the first time; that it is not usable is an error.
// read may be called at any time until the context of Start ends, by one
// goroutine at a time.
func New[T any](ctx context.Context, o Options, read func(context.Context) (T, error)) (*Files[T], error) {
	if o.Every == 0 {
		o.Every = DefaultEvery
	}
	f := &Files[T]{opts: o, read: read, looked: look(o.Paths)} // if it changes meanwhile, it is read again
	first, err := read(ctx)
	if err != nil {
		return nil, err
	}
	f.value.Store(&first)
	succeeded()
	return f, nil
}

// Get returns the last value that was usable.
func (f *Files[T]) Get() T { return *f.value.Load() }

// NeedLeaderElection says no: every replica follows its own files.
func (*Files[T]) NeedLeaderElection() bool { return false }

// Start follows the files until ctx ends.
func (f *Files[T]) Start(ctx context.Context) error {
	wait.UntilWithContext(ctx, f.follow, f.opts.Every)
	return nil
}

// follow reads what has changed since it last looked. Files that change while
// they are read are read again the next time, since what came of it may be half
// of the old and half of the new.
func (f *Files[T]) follow(ctx context.Context) {
	now := look(f.opts.Paths)
	if now == f.looked {
		return
	}
	value, err := f.read(ctx)
	if ctx.Err() != nil || look(f.opts.Paths) != now {
		return
	}
	f.looked = now
	if err != nil {
		f.fail(ctx, fmt.Errorf("take a change into use: %w", err))
		return
	}
	f.value.Store(&value)
	succeeded()
	log.FromContext(ctx).Info("took a change into use", "files", f.opts.Paths)
}

func (f *Files[T]) fail(ctx context.Context, err error) {
	failed()
	log.FromContext(ctx).Error(err, "what was in use before stays", "files", f.opts.Paths)
	if f.opts.Failed != nil {
		f.opts.Failed(ctx, err)
	}
}
