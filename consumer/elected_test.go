package consumer

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A process that loses the first partition and gets it back, before its feeder has ended, feeds again. Only what the
// feeder ends with by itself ends the process.
func TestElectedAgain(t *testing.T) { synctest.Test(t, electedAgain) }

func electedAgain(t *testing.T) {
	t.Helper()
	f := &feeder{setup: &Setup{}}
	var elected atomic.Bool
	elected.Store(true)
	broken, runs := errors.New("broken"), 0
	err := f.whileElected(t.Context(), t.Context(), elected.Load, func(ctx context.Context) error {
		if runs++; runs == 3 {
			return broken
		}
		elected.Store(false)
		<-ctx.Done()
		elected.Store(true)
		time.Sleep(3 * feedEvery) // in a bubble: virtual; as while an append is under way
		return context.Cause(ctx)
	})
	if !errors.Is(err, broken) || runs != 3 {
		t.Errorf("after %d runs: %v", runs, err)
	}
	if err := f.whileElected(t.Context(), t.Context(), elected.Load,
		func(context.Context) error { return nil }); err != nil {
		t.Error(err)
	}
}
