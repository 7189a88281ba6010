// Package retry tries again what fails only for the moment.
package retry

import (
	"context"
	"time"
)

// Pause waits, or returns why ctx is done.
func Pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// While tries until it succeeds, again says no, or ctx is done. Again is asked after each failure, with the time since
// the first try began; between two tries there is a pause of every. While returns the last error, or why ctx is done.
func While(ctx context.Context, every time.Duration, try func() error,
	again func(err error, since time.Duration) bool,
) error {
	for began := time.Now(); ; {
		err := try()
		if err == nil || ctx.Err() != nil || !again(err, time.Since(began)) {
			return err
		}
		if err := Pause(ctx, every); err != nil {
			return err
		}
	}
}

// Outlast returns a context that ends when ctx has been done for so long, or is cut short.
func Outlast(ctx context.Context, by time.Duration) (end context.Context, cut context.CancelFunc) {
	end, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(by, cancel)
		context.AfterFunc(end, func() { timer.Stop() })
	})
	return end, func() {
		stop()
		cancel()
	}
}
