package consumer

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// plant makes a member's replica differ from now on: it applies a record to it that is not in the journal.
func (w *world) plant(m *running) {
	w.t.Helper()
	m.follower().Look(func(r *index.Replica) {
		before := r.Hash()
		r.Apply(index.Stamp{Offset: r.Next() - 1},
			&index.Forget{Header: m.follower().Log.Header(), Target: entry.Position{Offset: -1}})
		if r.Hash() == before {
			w.t.Error("nothing differs")
		}
	})
}

// until waits for a condition while documents come, so that there is always something new for a snapshot.
func (w *world) until(what string, condition func() bool) {
	w.t.Helper()
	ctx := w.context()
	for seed := uint64(900); !condition(); seed++ {
		if ctx.Err() != nil {
			w.t.Fatalf("waited in vain: %s (%v)", what, context.Cause(ctx))
		}
		w.produce(20, seed)
		w.settled()
	}
}

// checkpoint has a member write a snapshot of some more documents, and its checkpoint to the journal.
func (w *world) checkpoint(m *running, name string, seed uint64) {
	w.t.Helper()
	w.produce(100, seed)
	w.settled()
	k := member.NewKeeper(m.follower(), m.setup.Store, m.setup.Snapshot, name)
	if err := k.Write(w.context()); err != nil {
		w.t.Fatal(err)
	}
}

// caughtUp waits until a member has read the journal. A difference that is planted before the member has read its own
// claim is found by the member itself.
func (w *world) caughtUp(m *running) {
	w.t.Helper()
	if err := m.follower().Wait(w.context(), w.cluster.PartitionInfo("unecho.journal", 0).HighWatermark-1); err != nil {
		w.t.Fatal(err)
	}
}

// rarely sets such a long interval that only the test takes snapshots.
func rarely(s *Setup) { s.Snapshot.Every = time.Hour }

// The writer of a checkpoint is wrong. The reader restores, reaches its own state again and accuses the writer, which
// stops. When the writer starts again it is right, whoever's snapshots it restores.
func TestWriterDiverges(t *testing.T) {
	t.Parallel()
	for _, of := range []string{"one directory", "directories of their own"} {
		t.Run(of, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 4)
			own := func(s *Setup) {
				if of != "one directory" {
					w.in(w.dir + "/writer")(s)
				}
			}
			said := w.logged()
			reader := w.start(named("reader"), sessions(1), rarely)
			writer := w.launch(named("writer"), sessions(1), rarely, own)
			w.joined(2)
			w.checkpoint(writer, "writer", 73)
			w.caughtUp(writer)
			w.plant(writer)
			w.checkpoint(writer, "writer", 74)
			w.refusedBy(writer, "reader accuses this member")
			w.until("the reader does not say it", func() bool { // the accused may read it before
				return reader.Stats().Accusations > 0 && said.has("another member's replica is wrong")
			})
			if got := reader.Stats(); got.Accusations != 1 || got.Divergences != 1 {
				t.Errorf("the reader differs %d times and accuses %d times", got.Divergences, got.Accusations)
			}
			again := w.start(named("writer"), sessions(1), rarely, own)
			w.until("the writer does not come back", func() bool { return again.Ready() && again.Stats().Partitions > 0 })
			w.sameHash(reader, again)
			w.audited()
		})
	}
}

// One of three is wrong, and reads a checkpoint of one that is right. It leaves the group, restores and comes back. The
// two others go on all the while.
func TestReaderOfThreeDiverges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 6)
	said := w.logged()
	writer := w.start(named("writer"), sessions(1), rarely)
	healthy := w.start(named("healthy"), sessions(1), rarely)
	sick := w.start(named("sick"), sessions(1), rarely)
	w.joined(3)
	w.checkpoint(writer, "writer", 75)
	w.caughtUp(sick)
	w.plant(sick)
	w.checkpoint(writer, "writer", 76)
	w.until("the sick one does not notice", func() bool { return sick.Stats().Divergences > 0 })
	w.until("it does not come back", func() bool { return sick.Ready() && sick.Stats().Partitions > 0 })
	if !said.has("replicas differ") || !said.has("this member's replica was wrong") || sick.Stats().Accusations > 0 {
		t.Errorf("it is not said, or it accuses %d times", sick.Stats().Accusations)
	}
	for _, m := range []*running{writer, healthy} {
		if s := m.Stats(); s.Divergences+s.Accusations+s.Withdrawals > 0 || s.Commits == 0 {
			t.Errorf("one that is right was disturbed: %+v", s)
		}
	}
	w.sameHash(writer, healthy, sick)
	w.audited()
}

// Of three, the writer of the checkpoint is wrong. Both others restore and reach their own states again, and at least
// one accuses the writer. The writer stops, and is right when it comes back.
func TestWriterOfThreeDiverges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 6)
	one := w.start(named("one"), sessions(1), rarely)
	two := w.start(named("two"), sessions(1), rarely)
	writer := w.launch(named("writer"), sessions(1), rarely)
	w.joined(3)
	w.checkpoint(writer, "writer", 77)
	w.caughtUp(writer)
	w.plant(writer)
	w.checkpoint(writer, "writer", 78)
	w.refusedBy(writer, "accuses this member")
	w.until("nobody counts an accusation", func() bool { return one.Stats().Accusations+two.Stats().Accusations > 0 })
	if a, b := one.Stats(), two.Stats(); a.Divergences > 1 || b.Divergences > 1 {
		t.Errorf("they differ %d and %d times, want once at most", a.Divergences, b.Divergences)
	}
	again := w.start(named("writer"), sessions(1), rarely)
	for _, m := range []*running{one, two, again} {
		w.until("not all come back", func() bool { return m.Ready() && m.Stats().Partitions > 0 })
	}
	w.sameHash(one, two, again)
	w.audited()
}

// sameHash compares the replicas' states at the journal's end.
func (w *world) sameHash(members ...*running) {
	w.t.Helper()
	w.until("replicas stay different", func() bool {
		end := w.cluster.PartitionInfo("unecho.journal", 0).HighWatermark
		var hashes []uint64
		for _, m := range members {
			m.follower().Look(func(r *index.Replica) {
				if r.Next() == end {
					hashes = append(hashes, r.Hash())
				}
			})
		}
		return len(hashes) == len(members) && len(slices.Compact(hashes)) == 1
	})
}
