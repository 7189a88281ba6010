package consumer

import (
	"testing"
	"time"
)

// Members share the work of snapshots: within the interval one is enough, whoever took it.
func TestOneSnapshotPerInterval(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.setup.Snapshot.Every = time.Hour
	m := w.start()
	w.produce(10, 1)
	w.settled()
	k := newKeeper(m.shared, m.setup.Store, w.setup.Snapshot, "another")
	for _, step := range []struct {
		every time.Duration
		want  int
	}{{time.Hour, 1}, {time.Hour, 1}, {time.Nanosecond, 2}} {
		k.params.Every = step.every
		if err := k.snapshotIfDue(w.context()); err != nil {
			t.Fatal(err)
		}
		infos, err := m.setup.Store.Manifests(w.context())
		if err != nil {
			t.Fatal(err)
		}
		if len(infos) != step.want || m.Stats().SnapshotNext != infos[0].Position.Offset {
			t.Fatalf("%d snapshots, the newest known at %d, want %d; %+v", len(infos), m.Stats().SnapshotNext, step.want, infos)
		}
		w.produce(10, 2)
		w.settled()
	}
}
