package member

import (
	"context"
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

// hanging is a store that does not answer.
type hanging struct{ snapshot.Store }

func (hanging) Manifests(ctx context.Context) ([]snapshot.Info, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestSlowStoreIsTold: a snapshot that is given up because the store is too slow is a failure. One that ends with the member
// is none.
func TestSlowStoreIsTold(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]uint64{"slow": 1, "stopped": 0} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := &Keeper{
					Follower: &Follower{Setup: &Setup{Counters: NewCounters()}}, store: hanging{},
					Params: snapshot.Params{Every: time.Minute},
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				if name == "stopped" {
					cancel()
				}
				defer cancel()
				k.keep(ctx, k.WriteIfDue)
				if errs := k.Counters.SnapshotErrs.Load(); errs != want {
					t.Errorf("%d failures are counted, want %d", errs, want)
				}
			})
		})
	}
}
