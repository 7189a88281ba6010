package consumer

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// The snapshots that a member finds when it comes back never change what comes out.
func TestRestart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		harm func(w *world)
		from func(next int64, snapshots []int64) bool // whether the member restored from the expected place
	}{
		{"a snapshot and the journal's tail", func(*world) {}, func(restored int64, all []int64) bool { return restored == all[0] }},
		{"the journal alone", (*world).loseSnapshots, func(restored int64, _ []int64) bool { return restored < 0 }},
		{"the snapshot before the newest", func(w *world) {
			w.spoil(w.manifests()[0])
		}, func(restored int64, all []int64) bool { return restored == all[1] }},
		{"a snapshot before the newest, whose segment is spoilt", func(w *world) {
			segments, err := filepath.Glob(filepath.Join(w.dir, "*", "segments", "*", "*"))
			if err != nil {
				w.t.Fatal(err)
			}
			slices.SortFunc(segments, func(a, b string) int { return w.written(b).Compare(w.written(a)) })
			w.spoil(segments[0])
		}, func(restored int64, all []int64) bool { return slices.Contains(all[1:], restored) }}, // two may share the segment
		{"the journal, all snapshots spoilt", func(w *world) {
			for _, file := range w.manifests() {
				w.spoil(file)
			}
		}, func(restored int64, _ []int64) bool { return restored < 0 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 4)
			w.setup.Params.PollRecords = 100
			w.produce(800, 3)
			for range 2 { // each stop leaves a snapshot
				m := w.start(named("m"))
				w.settled()
				w.ended(m)
				w.produce(400, 4)
			}
			m := w.start(named("m"), func(s *Setup) { s.Snapshot.Every = time.Hour })
			w.settled()
			m.kill() // records follow the last snapshot
			all := w.snapshots()
			c.harm(w)
			w.produce(400, 5)
			m = w.launch(named("m"), func(s *Setup) { s.Snapshot.Every = time.Hour })
			w.settled()
			if restored := m.Stats().SnapshotNext; !c.from(restored, all) {
				t.Errorf("restored from %d, snapshots %v", restored, all)
			}
			w.ended(m)
			w.audited()
		})
	}
}

// snapshots lists the journal offsets of the snapshots, newest first.
func (w *world) snapshots() (offsets []int64) {
	w.t.Helper()
	infos, err := w.store().Manifests(w.context())
	if err != nil {
		w.t.Fatal(err)
	}
	for _, i := range infos {
		offsets = append(offsets, i.Position.Offset)
	}
	return offsets
}

// manifests lists the files of the snapshots, newest first.
func (w *world) manifests() []string {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.dir, "*", "manifests", "*"))
	if err != nil || len(files) < 2 {
		w.t.Fatalf("manifests %v: %v", files, err)
	}
	slices.Sort(files)
	slices.Reverse(files)
	return files
}

func (w *world) spoil(file string) {
	w.t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		w.t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(file, data, 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) written(file string) time.Time {
	w.t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		w.t.Fatal(err)
	}
	return info.ModTime()
}
