package consumer

import (
	"context"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/snapshot"
)

// long is a store in which writing a snapshot takes as long as meanwhile takes.
type long struct {
	snapshot.Store
	meanwhile func()
}

func (l *long) Publish(ctx context.Context, m snapshot.Manifest) error {
	l.meanwhile()
	return l.Store.Publish(ctx, m)
}

// flood appends n records to the journal, which each replica applies.
func (w *world) flood(n int) {
	w.t.Helper()
	value := journal.Append(nil, &index.Forget{Header: index.Header{
		Fingerprint: index.Fingerprint(w.setup.Settings),
		Wall:        1,
	}, Target: entry.Position{Offset: -1}})
	records := make([]*kgo.Record, n)
	for i := range records {
		records[i] = &kgo.Record{Key: []byte("unecho"), Value: value}
	}
	w.write(records...)
}

// longCheckpoint has a member write a snapshot. Meanwhile 50,000 records are appended, as in 5 s at 10,000 records a
// second.
func (w *world) longCheckpoint(m *running, name string, seed uint64) {
	w.t.Helper()
	w.produce(50, seed)
	w.settled()
	store := &long{Store: m.setup.Store, meanwhile: func() { w.flood(50_000) }}
	if err := member.NewKeeper(m.follower(), store, m.setup.Snapshot, name).Write(w.context()); err != nil {
		w.t.Fatal(err)
	}
	w.caughtUp(m)
}

// However many records are applied while a snapshot is written, the others confirm it, and a member that differs finds
// out.
func TestDivergesAtHighRate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	said := w.logged()
	writer := w.start(named("writer"), sessions(1), rarely)
	reader := w.start(named("reader"), sessions(1), rarely)
	w.joined(2)
	w.longCheckpoint(writer, "writer", 71)
	w.caughtUp(reader)
	for _, m := range []*running{writer, reader} {
		if s := m.Stats(); s.ConfirmedTime == 0 || s.Index.Confirmed != writer.Stats().SnapshotNext ||
			s.JournalNext-s.Index.Confirmed < 50_000 {
			t.Errorf("confirmed at %d, %d of the snapshot at %d, applied up to %d", s.ConfirmedTime, s.Index.Confirmed,
				writer.Stats().SnapshotNext, s.JournalNext)
		}
	}
	w.plant(reader)
	w.longCheckpoint(writer, "writer", 72)
	w.until("the reader does not notice", func() bool { return reader.Stats().Divergences > 0 })
	w.until("the reader does not come back", func() bool { return reader.Ready() && reader.Stats().Partitions > 0 })
	if !said.has("this member's replica was wrong") || reader.Stats().Accusations+writer.Stats().Divergences > 0 {
		t.Errorf("reader %+v, writer %+v", reader.Stats(), writer.Stats())
	}
	w.sameHash(reader, writer)
}

// A mark that nobody can read is appended again. A member none of whose marks can be read takes no snapshot.
func TestMarksDamaged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		times int64
		want  int // snapshots
	}{{3, 1}, {1 << 30, 0}} {
		w := newWorld(t, 1)
		m := w.start(named("m"), sessions(1), rarely, withBad(&damage{of: isA[*index.Mark], times: c.times}))
		w.produce(50, 71)
		w.settled()
		err := member.NewKeeper(m.follower(), m.setup.Store, m.setup.Snapshot, "m").Write(w.context())
		if got := len(w.snapshots()); (err == nil) != (c.want > 0) || got != c.want {
			t.Errorf("%d marks damaged: %v, %d snapshots", c.times, err, got)
		}
	}
}
