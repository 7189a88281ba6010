package feed

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/unecho/unecho/consumer/journal"
)

// TestSlowFeedIsSteady: with a low rate the records have few entries, and each comes when those before it are due.
func TestSlowFeedIsSteady(t *testing.T) {
	t.Parallel()
	for rate, want := range map[int]int{0: journal.RunEntries, 1: 1, 3: 1, 100: 25, 1_000_000: journal.RunEntries} {
		if got := (&Setup{MaxRate: rate}).limits().Entries; got != want {
			t.Errorf("at %d documents a second a record has %d entries, want %d", rate, got, want)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		var p pace
		began := time.Now()
		for i, want := range []time.Duration{0, 250 * time.Millisecond, 500 * time.Millisecond} {
			if err := p.wait(t.Context(), 100, 25); err != nil || time.Since(began) != want {
				t.Errorf("record %d is due after %v (%v), want %v", i, time.Since(began), err, want)
			}
		}
		time.Sleep(time.Hour) // a feeder that waited for something else does not catch up
		for i, want := range []time.Duration{0, 250 * time.Millisecond} {
			now := time.Now()
			if err := p.wait(t.Context(), 100, 25); err != nil || time.Since(now) != want {
				t.Errorf("record %d after an hour is due after %v (%v), want %v", i, time.Since(now), err, want)
			}
		}
	})
}
