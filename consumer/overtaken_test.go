package consumer

import (
	"context"
	"testing"

	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/index/snapshot"
)

// slow is a store whose first restores take longer than the others need for two snapshots. Each of these restores
// announces that it has begun to read, and goes on when it is told to.
type slow struct {
	snapshot.Store
	settled  bool // it was asked for the settings in a snapshot
	restores int
	reading  chan struct{}
	goOn     chan struct{}
}

func (s *slow) Manifest(ctx context.Context, at snapshot.Position) (snapshot.Manifest, error) {
	m, err := s.Store.Manifest(ctx, at)
	if !s.settled { // the first is read for its settings
		s.settled = true
		return m, err
	}
	if s.restores--; s.restores >= 0 {
		s.reading <- struct{}{}
		<-s.goOn
	}
	return m, err
}

// overtake starts a member whose first restores are overtaken.
func (w *world) overtake(k *member.Keeper, restores int) *running {
	w.t.Helper()
	store := &slow{Store: w.store(), restores: restores, reading: make(chan struct{}), goOn: make(chan struct{})}
	m := w.launch(named("late"), rarely, func(s *Setup) { s.Store = store })
	for i := range restores {
		w.await("a restore", store.reading)
		for seed := range uint64(2) {
			w.another(k, uint64(100+10*i)+seed)
		}
		store.goOn <- struct{}{}
	}
	return m
}

// The journal is trimmed behind newer snapshots while a member restores an older one. The member then restores the
// newest, and nobody is asked to accept a gap.
func TestReplicaIsOvertaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	first, k := w.trimmed()
	said := w.logged()
	late := w.overtake(k, member.MaxLives-1)
	w.joined(2 * w.setup.Params.Sessions)
	if !said.has("the journal was trimmed under this replica: restoring again, from a newer snapshot") {
		t.Error("nobody said that it is restored again")
	}
	if newest := w.snapshots()[0]; late.Stats().SnapshotNext != newest {
		t.Errorf("restored from %d, the newest snapshot is at %d", late.Stats().SnapshotNext, newest)
	}
	w.produce(100, 500)
	w.settled()
	w.eachOnce(first, late)
}

// A restore that is too slow each time ends, and says which setting helps.
func TestReplicaIsOvertakenAgainAndAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	_, k := w.trimmed()
	w.refusedBy(w.overtake(k, member.MaxLives), "restoring took too long 5 times in a row",
		"raise snapshots.every for all members")
}

// A member that was paused for too long restores again as well, though it was at work before.
func TestPausedMemberIsOvertaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	first, k := w.trimmed()
	said := w.logged()
	paused := w.start(named("paused"), rarely)
	w.joined(2 * w.setup.Params.Sessions)
	paused.network.freeze()
	for seed := range uint64(4) { // the answer that is under way brings the first of these
		w.another(k, 600+seed)
	}
	paused.network.thaw()
	w.until("the paused member has restored again", func() bool {
		return said.has("the journal was trimmed under this replica") && paused.Ready()
	})
	if next := paused.Stats().SnapshotNext; next < w.snapshots()[1] {
		t.Errorf("restored from %d, snapshots %v", next, w.snapshots())
	}
	w.joined(2 * w.setup.Params.Sessions)
	w.eachOnce(first, paused)
}
