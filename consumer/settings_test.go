package consumer

import (
	"testing"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
)

// written puts settings into a setup, with their text.
func written(p index.Params) func(*Setup) {
	return func(s *Setup) {
		s.Index, s.Settings = p, setting.Canonical("1", map[string]any{"": p})
	}
}

// A group that was begun with other bands keeps them, when its members leave the bands open: by its journal, and by its
// snapshots where the journal is trimmed. A window that would be planned otherwise changes nothing.
func TestGroupKeepsItsBands(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		harm func(w *world)
	}{
		{"by the journal and snapshots", func(*world) {}},
		{"by the journal alone", (*world).loseSnapshots},
		{"by snapshots alone", (*world).loseHead},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 2)
			open := w.setup.Index
			old := open
			old.Duplicates.Slots = 128
			written(old)(&w.setup)
			w.produce(300, 3)
			first := w.start(named("m"))
			w.settled()
			w.ended(first)
			c.harm(w)
			open.Duplicates.Remember.Memory, open.Duplicates.Remember.Documents = 0, 50_000_000
			written(open)(&w.setup)
			m := w.start(named("m"), func(s *Setup) { s.Snapshot.Every = time.Hour })
			w.produce(300, 4)
			w.settled()
			if s := m.Stats().Params.Duplicates; s.Slots != 128 || s.Bands != 0 {
				t.Errorf("it works by %d slots in %d bands", s.Slots, s.Bands)
			}
			written(old)(&w.setup)
			w.eachOnce(first, m)
		})
	}
}

// A group that begins has what was planned in its journal. A member with other windows in its file works by that.
func TestPlanIsInForceForAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	open := w.setup.Index
	written(open)(&w.setup)
	w.produce(300, 3)
	first := w.start(named("first"))
	w.settled()
	other := open
	other.Duplicates.Remember.Memory, other.Duplicates.Remember.Documents = 0, 50_000_000
	second := w.start(named("second"), written(other))
	w.joined(2 * w.setup.Params.Sessions)
	w.produce(300, 4)
	w.settled()
	for _, m := range []*running{first, second} {
		if s := m.Stats().Params.Duplicates; s.Slots != 78 || s.Bands != 13 || s.Rows != 6 {
			t.Errorf("%d slots in %d bands of %d rows", s.Slots, s.Bands, s.Rows)
		}
	}
	planned, err := open.AsBegun(nil)
	if err != nil {
		t.Fatal(err)
	}
	written(planned)(&w.setup)
	w.eachOnce(first, second)
}
