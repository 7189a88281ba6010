package consumer

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/index/snapshot"
)

// vanishing is a store that goes away, or is changed by others, when the first segment is read.
type vanishing struct {
	snapshot.Store
	first func() error
}

func (f *vanishing) Segment(ctx context.Context, name string) ([]byte, error) {
	if first := f.first; first != nil {
		f.first = nil
		if err := first(); err != nil {
			return nil, err
		}
	}
	return f.Store.Segment(ctx, name)
}

// trimmed starts a member whose journal begins at the older of its two snapshots.
func (w *world) trimmed() (*running, *member.Keeper) {
	w.t.Helper()
	w.setup.Snapshot.Every, w.setup.Snapshot.For = time.Hour, snapshot.ByAll
	m := w.start()
	k := member.NewKeeper(m.follower(), m.setup.Store, w.setup.Snapshot, "m")
	for i := range uint64(2) {
		w.another(k, i)
	}
	if start, _, err := m.follower().Log.Range(w.context()); err != nil || start == 0 {
		w.t.Fatalf("the journal begins at %d, %v: it was to be trimmed", start, err)
	}
	return m, k
}

// another has the keeper take a snapshot of new documents.
func (w *world) another(k *member.Keeper, seed uint64) {
	w.t.Helper()
	w.produce(10, seed)
	w.settled()
	if err := k.Write(w.context()); err != nil {
		w.t.Fatal(err)
	}
}

// A store that goes away during a restore still holds its snapshots. The advice is to start again, and not to accept a
// gap.
func TestStoreGoesAwayDuringRestore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	m, _ := w.trimmed()
	away := errors.New("connection reset by peer")
	_, err := w.restore(m, &vanishing{m.setup.Store, func() error { return away }})
	var stop *StopError
	if !errors.Is(err, away) || errors.As(err, &stop) {
		t.Errorf("got %v", err)
	}
}

// A restore is overtaken: its snapshots are pruned and the journal is trimmed behind newer ones. It begins again with
// those.
func TestRestoreIsOvertaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	m, k := w.trimmed()
	pruned := func() error {
		for i := range uint64(snapshot.Kept) {
			w.another(k, 10+i)
		}
		return snapshot.ErrMissingSegment
	}
	replica, err := w.restore(m, &vanishing{m.setup.Store, pruned})
	if err != nil {
		t.Fatal(err)
	}
	if all := w.snapshots(); replica.Next() != all[0] || replica.From() != replica.Next()-1 {
		t.Errorf("restored at %d, following from %d, and not from the newest of %v and its mark", replica.Next(), replica.From(), all)
	}
}

// Other members write snapshots just before the snapshots are listed, so that the newest lies beyond the end that the
// journal had shortly before; or they do so just after that, and trim the journal behind the older ones. The newest is
// restored: the journal lost nothing, and nobody is asked to accept a gap.
func TestSnapshotsAreWrittenDuringRestore(t *testing.T) {
	t.Parallel()
	for _, after := range []bool{false, true} {
		w := newWorld(t, 1)
		m, k := w.trimmed()
		list := &listing{Store: m.setup.Store, before: func() { w.another(k, 10) }}
		if after {
			list.before, list.after = nil, func() {
				for i := range uint64(3) {
					w.another(k, 10+i)
				}
			}
		}
		replica, err := w.restore(m, list)
		if err != nil {
			t.Fatal(err)
		}
		if all := w.snapshots(); replica.Next() != all[0] {
			t.Errorf("after the list %v: restored at %d, and not from the newest of %v", after, replica.Next(), all)
		}
	}
}

// listing is a store that others change before or after its snapshots are listed for the first time.
type listing struct {
	snapshot.Store
	before, after func()
}

func (l *listing) Manifests(ctx context.Context) ([]snapshot.Info, error) {
	before, after := l.before, l.after
	l.before, l.after = nil, nil
	if before != nil {
		before()
	}
	infos, err := l.Store.Manifests(ctx)
	if after != nil {
		after()
	}
	return infos, err
}

// If all snapshots are damaged and the journal is trimmed behind them, a person decides.
func TestNothingToRestore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	m, _ := w.trimmed()
	_, err := w.restore(m, &emptied{m.setup.Store})
	var stop *StopError
	if !errors.As(err, &stop) || !strings.Contains(stop.What, "no usable snapshot") {
		t.Errorf("got %v", err)
	}
}

// emptied is a store that has lost its segments.
type emptied struct{ snapshot.Store }

func (*emptied) Segment(context.Context, string) ([]byte, error) {
	return nil, snapshot.ErrMissingSegment
}

// restore restores a replica as a member does, from another store.
func (w *world) restore(m *running, store snapshot.Store) (*member.Follower, error) {
	setup := *m.follower().Setup
	setup.Store = store
	return member.Restore(w.context(), &setup, nil)
}
