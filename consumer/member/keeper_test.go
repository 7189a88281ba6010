package member

import (
	"context"
	"testing"
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
