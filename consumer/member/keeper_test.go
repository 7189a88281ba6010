package member

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/index/snapshot"
)

// listed is a store that lists one snapshot.
type listed struct {
	snapshot.Store
	info snapshot.Info
}

func (l *listed) Manifests(context.Context) ([]snapshot.Info, error) {
	return []snapshot.Info{l.info}, nil
}

// TestOthersSnapshotsAreCollectedBehindToo: a snapshot of another member, who may be gone since, puts segments out of
// use as well. They are collected once more when their grace is over.
func TestOthersSnapshotsAreCollectedBehindToo(t *testing.T) {
	t.Parallel()
	store := &listed{info: snapshot.Info{Taken: time.Now().UnixMilli()}}
	f := &Follower{Setup: &Setup{Log: &journal.Log{}, Counters: NewCounters()}}
	k := &Keeper{Follower: f, store: store, Params: snapshot.Params{Every: time.Hour}}
	for i, c := range []struct {
		offset int64
		armed  bool
	}{{7, true}, {7, false}, {9, true}} {
		store.info.Position.Offset, k.collectAt = c.offset, time.Time{}
		if err := k.WriteIfDue(t.Context()); err != nil {
			t.Fatal(err)
		}
		if armed := !k.collectAt.IsZero(); armed != c.armed {
			t.Errorf("look %d, snapshot at %d: it collects later %v, want %v", i, c.offset, armed, c.armed)
		}
	}
}

// TestMembersTakeTurnsWhateverTheirClocksSay: a snapshot of another member counts as new when it is seen first, also where
// that member's clock is off. Else each member would take one after the other, and trim the journal behind a third that
// restores.
func TestMembersTakeTurnsWhateverTheirClocksSay(t *testing.T) {
	t.Parallel()
	for _, off := range []time.Duration{0, -2 * time.Hour, 2 * time.Hour} {
		began := time.Now()
		k := &Keeper{
			Follower: &Follower{Setup: &Setup{Counters: NewCounters()}}, Params: snapshot.Params{Every: time.Minute}, seen: began,
		}
		for _, c := range []struct {
			after  time.Duration
			offset int64
			due    bool
		}{
			{0, 7, false},
			{30 * time.Second, 7, false},
			{45 * time.Second, 7, true},
			{60 * time.Second, 9, false},
			{90 * time.Second, 9, false},
			{120 * time.Second, 9, true},
		} {
			now := began.Add(c.after)
			newest := snapshot.Info{Taken: now.Add(off).UnixMilli(), Position: snapshot.Position{Offset: c.offset}}
			if due := k.due(newest, now); due != c.due {
				t.Errorf("clocks differ by %v: after %v, the newest snapshot at %d: due %v, want %v", off, c.after, c.offset, due, c.due)
			}
		}
	}
}

// A store that is so slow that a snapshot is given up is a failure that is counted and told. The end of the process is
// none.
func TestGivenUpSnapshotIsTold(t *testing.T) {
	t.Parallel()
	hangs := func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }
	synctest.Test(t, func(t *testing.T) {
		k := &Keeper{Follower: &Follower{Setup: &Setup{Counters: NewCounters()}}, Params: snapshot.Params{Every: time.Minute}}
		k.keep(t.Context(), hangs)
		if f := k.Counters.SnapshotErr.Load(); f == nil || !strings.Contains(f.Err.Error(), "it took longer than 5m0s") {
			t.Errorf("after a snapshot that hung, %+v is told; want that it took longer than 5m0s", f)
		}
		ending, end := context.WithCancel(t.Context())
		end()
		if k.keep(ending, hangs); k.Counters.SnapshotErrs.Load() != 1 {
			t.Errorf("%d failures are counted, want 1", k.Counters.SnapshotErrs.Load())
		}
	})
}
