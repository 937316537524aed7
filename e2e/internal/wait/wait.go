// Package wait waits for conditions that nothing announces.
package wait

import (
	"context"
	"errors"
	"time"
)

// For polls a condition until it holds or the context ends; then the error
// tells both why it ended and what was still wrong.
func For(ctx context.Context, every time.Duration, holds func(context.Context) error) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		err := holds(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		case <-tick.C:
		}
	}
}
