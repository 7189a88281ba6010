package consumer

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/index/snapshot"
)

// Members share the work of snapshots: one snapshot within the interval is enough, whichever member took it.
func TestOneSnapshotPerInterval(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.setup.Snapshot.Every = time.Hour
	m := w.start()
	w.produce(10, 1)
	w.settled()
	k := member.NewKeeper(m.follower(), m.setup.Store, w.setup.Snapshot, "another")
	for _, step := range []struct {
		every time.Duration
		want  int
	}{{time.Hour, 1}, {time.Hour, 1}, {time.Nanosecond, 2}} {
		k.Params.Every = step.every
		if err := k.WriteIfDue(w.context()); err != nil {
			t.Fatal(err)
		}
		if all := w.snapshots(); len(all) != step.want || m.Stats().SnapshotNext != all[0] {
			t.Fatalf("%d snapshots, the newest known at %d, want %d; %+v", len(all), m.Stats().SnapshotNext, step.want, all)
		}
		w.produce(10, 2)
		w.settled()
	}
}

// After an erasure snapshots are taken until none of before is kept, though nothing else happens; then no more. When
// the grace of their segments is over, they are collected, once.
func TestSnapshotsOfBeforeAnErasureGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.setup.Snapshot.Every = time.Hour
	m := w.start()
	store := &counting{Store: m.setup.Store}
	k := member.NewKeeper(m.follower(), store, w.setup.Snapshot, "another")
	write := func() (offsets []int64) {
		t.Helper()
		if err := k.Write(w.context()); err != nil {
			t.Fatal(err)
		}
		return w.snapshots()
	}
	for range snapshot.Kept {
		w.produce(10, 1)
		w.settled()
		write()
	}
	_, erased, err := m.Forget(w.context(), []string{"news/0/0"}, false, false)
	if err != nil || erased < 0 {
		t.Fatalf("erased at %d: %v", erased, err)
	}
	for range snapshot.Kept {
		write()
	}
	last := write()
	if len(last) != snapshot.Kept || slices.Min(last) <= erased {
		t.Errorf("an erasure at %d leaves snapshots of %v", erased, last)
	}
	w.becomes("nothing is written where nothing has changed", func() bool { // a base may still be announced
		collects, before := store.collects, last
		last = write()
		return store.collects == collects && slices.Equal(last, before)
	})
	over := w.setup.Snapshot
	over.Every = -snapshot.Grace - time.Hour
	k, store.collects = member.NewKeeper(m.follower(), store, over, "one whose segments' grace is over"), 0
	for range 2 {
		write()
	}
	if store.collects != 1 {
		t.Errorf("segments were collected %d times", store.collects)
	}
}

// counting is a store that counts the segments that are put, and how often it collects.
type counting struct {
	snapshot.Store
	puts, collects int
}

func (c *counting) Collect(ctx context.Context, keep int) (snapshot.Collected, error) {
	c.collects++
	return c.Store.Collect(ctx, keep)
}

func (c *counting) PutSegment(ctx context.Context, name string, data []byte) error {
	c.puts++
	return c.Store.PutSegment(ctx, name, data)
}

// A member does not write a segment again that another has stored, or that it has restored itself. A stored segment
// that rots is written again before a restart needs it.
func TestSegmentsAreWrittenOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.setup.Snapshot.Every, w.setup.Index.Duplicates.Remember.Documents = time.Hour, 5000 // segments have 256 documents
	m := w.start(named("m"))
	store := &counting{Store: m.setup.Store}
	snapshotBy := func(m *running, name string, k *member.Keeper, atLeast, atMost int) *member.Keeper {
		t.Helper()
		if k == nil {
			k = member.NewKeeper(m.follower(), store, w.setup.Snapshot, name)
		}
		w.produce(10, 3)
		w.settled()
		store.puts = 0
		if err := k.Write(w.context()); err != nil {
			t.Fatal(err)
		}
		if store.puts < atLeast || store.puts > atMost {
			t.Errorf("%s wrote %d segments, want %d to %d", name, store.puts, atLeast, atMost)
		}
		end, err := m.follower().Log.End(w.context()) // the member has applied its checkpoint
		if err == nil {
			err = m.follower().Wait(w.context(), end-1)
		}
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	w.produce(1500, 1)
	snapshotBy(m, "the first", nil, 4, 6)
	two := snapshotBy(m, "another", nil, 1, 2)
	segments, err := filepath.Glob(filepath.Join(w.dir, "*", "segments", "*", "*"))
	if err != nil || len(segments) < 4 {
		t.Fatalf("the store holds the segments %q, error %v; want four at least", segments, err)
	}
	slices.SortFunc(segments, func(a, b string) int { return w.written(a).Compare(w.written(b)) })
	w.spoil(segments[1]) // the second is the next one to be verified
	snapshotBy(m, "the one that finds it spoilt", two, 2, 3)
	w.ended(m)
	m = w.start(named("m"))
	w.produce(10, 4)
	w.settled()
	store = &counting{Store: m.setup.Store}
	snapshotBy(m, "the one that restored it", nil, 1, 2)
	w.audited()
}
