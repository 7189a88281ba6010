package consumer

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/snapshot"
)

// ofFiles has a member keep old documents in this directory.
func ofFiles(directory string) func(*Setup) {
	return func(s *Setup) { s.Index.Duplicates.Remember.Directory = directory }
}

// remembering makes a window of some documents, which lie in segments of 256.
func remembering(t *testing.T, documents int) (*world, string) {
	t.Helper()
	w := newWorld(t, 4)
	w.setup.Index.Duplicates.Remember.Documents = documents
	return w, t.TempDir()
}

// oldFiles lists the segments in a directory.
func (w *world) oldFiles(directory string) []string {
	w.t.Helper()
	found, err := filepath.Glob(filepath.Join(directory, w.setup.Params.Group, "*"))
	if err != nil {
		w.t.Fatal(err)
	}
	var names []string
	for _, path := range found {
		if len(filepath.Base(path)) == 64 {
			names = append(names, path)
		}
	}
	return names
}

// inFiles waits until the old documents of a member lie in files.
func (w *world) inFiles(directory string, least int) {
	w.t.Helper()
	w.until("the segments lie in no files", func() bool { return len(w.oldFiles(directory)) >= least })
}

// noneWaits waits until all sealed segments of a member lie in files.
func (w *world) noneWaits(m *running) {
	w.t.Helper()
	w.until("segments are in memory", func() (all bool) {
		m.follower().Look(func(r *index.Replica) { all = len(r.Files().Unfiled()) == 0 })
		return all
	})
}

// TestOldDocumentsInFiles: a member whose old documents lie in files has the state of one that has all in memory, also when
// it is killed and comes back, to its files or to none.
func TestOldDocumentsInFiles(t *testing.T) {
	t.Parallel()
	w, directory := remembering(t, 2500)
	other := w.start(named("other"))
	m := w.start(named("m"), ofFiles(directory))
	for seed := range uint64(4) {
		w.produce(1500, 1+seed%2) // half of what comes was there before
		w.settled()
		w.inFiles(directory, 3)
		if seed == 1 {
			m.kill()
			m = w.start(named("m"), ofFiles(directory))
		}
		if seed == 2 {
			m.kill()
			if err := os.RemoveAll(directory); err != nil {
				t.Fatal(err)
			}
			m = w.start(named("m"), ofFiles(directory))
		}
	}
	w.sameHash(m, other)
	w.noneWaits(m)
	w.produce(1500, 1)
	w.settled()
	w.sameHash(m, other)
	reads, waited := m.replicas.FileReads.Load(), m.replicas.FileWait.Total()
	w.produce(1, 2) // a copy of an old one, alone: while it reads, nothing else goes on
	w.settled()
	reads, waited = m.replicas.FileReads.Load()-reads, m.replicas.FileWait.Total()-waited
	if reads == 0 || waited == 0 {
		t.Errorf("%d reads of files for one document, for which judging waited %v", reads, waited)
	}
	found, err := m.Lookup(w.context(), w.signed(string(w.documents(1500, 2)[40].Value)), 1)
	if err != nil || len(found.Hits) != 1 {
		t.Errorf("a lookup of an old document: %+v, error %v", found, err)
	}
	w.ended(m)
	w.ended(other)
	w.audited()
}

// TestDamagedFiles: what is damaged or missing comes from the store, or the replica is restored. No verdict differs.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(path string) error{
		"a bit of each": func(path string) error {
			data, err := os.ReadFile(path)
			if err == nil {
				data[rand.IntN(len(data)/2)] ^= 1
				err = os.WriteFile(path, data, 0o600)
			}
			return err
		},
		"short":   func(path string) error { return os.Truncate(path, 1000) },
		"missing": os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, directory := remembering(t, 2500)
			m := w.start(ofFiles(directory))
			w.produce(2000, 1)
			w.settled()
			w.inFiles(directory, 4)
			for _, path := range w.oldFiles(directory) {
				if err := harm(path); err != nil && !errors.Is(err, os.ErrNotExist) {
					t.Fatal(err)
				}
			}
			w.produce(2000, 1)
			w.settled()
			if m.replicas.FileErrs.Load() == 0 {
				t.Error("no damage was noticed")
			}
			w.until("it stays in trouble", func() bool { return m.replicas.FileErr.Load() == nil })
			w.ended(m)
			w.audited()
		})
	}
}

// TestDirectoryOfAnother: a directory is one member's.
func TestDirectoryOfAnother(t *testing.T) {
	t.Parallel()
	w, directory := remembering(t, 2500)
	m := w.start(named("m"), ofFiles(directory))
	w.produce(100, 1)
	w.settled()
	second := w.launch(named("second"), ofFiles(directory))
	var stopped *StopError
	if err := second.wait(); !errors.As(err, &stopped) {
		t.Errorf("a second process ends with %v", err)
	}
	w.ended(m)
	w.audited()
}

// TestDamagedBeforeTheSnapshot: a file that is damaged before a snapshot has its segment is found out by the snapshot, and
// the member restores. Else none could be taken for as long as the segment stays.
func TestDamagedBeforeTheSnapshot(t *testing.T) {
	t.Parallel()
	w, directory := remembering(t, 2500)
	w.setup.Snapshot.Every = time.Hour
	m := w.start(named("m"), ofFiles(directory))
	w.produce(2000, 1)
	w.settled()
	w.inFiles(directory, 4)
	for _, path := range w.oldFiles(directory) {
		if err := os.Truncate(path, 1000); err != nil {
			t.Fatal(err)
		}
	}
	damaged := m.follower()
	member.NewKeeper(damaged, m.setup.Store, w.setup.Snapshot, "m").Take(w.context()) // no document comes that needs one
	if m.replicas.FileErrs.Load() == 0 {
		t.Error("the snapshot has not noticed the damage")
	}
	w.until("it does not restore", func() bool { return m.follower() != damaged && m.Ready() })
	w.produce(2000, 1)
	w.settled()
	w.ended(m)
	if len(w.snapshots()) == 0 {
		t.Error("no snapshot is taken")
	}
	w.audited()
}

// TestDirectoryVanishes: a member whose directory is taken away ends, and says how to go on.
func TestDirectoryVanishes(t *testing.T) {
	t.Parallel()
	w, directory := remembering(t, 2500)
	m := w.launch(ofFiles(directory))
	w.produce(1000, 1)
	w.settled()
	w.inFiles(directory, 2)
	if err := os.RemoveAll(directory); err != nil {
		t.Fatal(err)
	}
	var stopped *StopError
	if err := m.wait(); !errors.As(err, &stopped) || !errors.Is(err, files.ErrVanished) {
		t.Errorf("it ends with %v", err)
	}
	m = w.start(ofFiles(directory))
	w.produce(1000, 1)
	w.settled()
	w.ended(m)
	w.audited()
}

// unreachable is a store that gives no segments while it is away.
type unreachable struct {
	snapshot.Store
	away atomic.Bool
}

func (u *unreachable) Segment(ctx context.Context, name string) ([]byte, error) {
	if u.away.Load() {
		return nil, fmt.Errorf("segment %s: %w", name, snapshot.ErrAway)
	}
	return u.Store.Segment(ctx, name)
}

// TestNotReadyWhileAFileIsMissing: while a file cannot be healed judging waits, the member is not ready and names the
// file. No document is judged by less, and it goes on when the store is back.
func TestNotReadyWhileAFileIsMissing(t *testing.T) {
	t.Parallel()
	w, directory := remembering(t, 2500)
	store := &unreachable{Store: w.store()}
	m := w.start(named("m"), ofFiles(directory), func(s *Setup) { s.Store = store })
	w.produce(2000, 1)
	w.settled()
	w.inFiles(directory, 4)
	w.becomes("no document is said to lie in a file", func() bool {
		now := m.Stats().Index
		return now.Filed >= 512 && now.Filed < now.Documents && now.FileBytes > 0
	})
	store.away.Store(true)
	damaged := w.oldFiles(directory)
	for _, path := range damaged {
		if err := os.Truncate(path, 1000); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	w.produce(2000, 1)
	var now Stats
	w.becomes("it stays ready", func() bool {
		now = m.Stats()
		return !m.Ready() && strings.Contains(now.Standing.Trouble, "judging waits")
	})
	if now.FileLate == 0 {
		t.Error("a read that judging waits for in its turn is not late")
	}
	named := func(path string) bool { return strings.Contains(now.Standing.Trouble, "segment "+filepath.Base(path)) }
	if !slices.ContainsFunc(damaged, named) {
		t.Errorf("the trouble names none of the damaged files: %q", now.Standing.Trouble)
	}
	for _, want := range []string{"the store is away", "make room in duplicates.remember.directory"} {
		if !strings.Contains(now.FileTrouble, want) {
			t.Errorf("the trouble is %q, want %q in it", now.FileTrouble, want)
		}
	}
	store.away.Store(false)
	w.settled()
	w.becomes("it does not become ready again", m.Ready)
	if now = m.Stats(); now.FileTrouble != "" || now.FileErr != nil || now.FileErrs == 0 || now.FileWait < time.Second {
		t.Errorf("healed, it has trouble %q, error %v, %d errors, %v waited", now.FileTrouble, now.FileErr, now.FileErrs, now.FileWait)
	}
	w.ended(m)
	w.audited()
}

// TestSearchReadsEachFileOnce: a search in small steps reads a file once, not at each step, and judging waits for none of its reads.
func TestSearchReadsEachFileOnce(t *testing.T) {
	t.Parallel()
	w, directory := remembering(t, 2500)
	m := w.start(named("m"), ofFiles(directory))
	w.produce(3000, 1)
	w.settled()
	w.noneWaits(m)
	walk, visited, before := index.Walk{}, 0, m.Stats()
	err := m.follower().Search(w.context(), func(r *index.Replica) bool {
		return r.Step(&walk, 10, func(*index.Remembered) { visited++ })
	})
	files, now := len(w.oldFiles(directory)), m.Stats()
	reads, late := now.FileReads-before.FileReads, now.FileLate-before.FileLate
	if err != nil || visited < 1500 || reads == 0 || reads > uint64(files) || late > 0 {
		t.Errorf("%d documents were visited by %d reads of %d files, %d of them late, error %v", visited, reads, files, late, err)
	}
	w.ended(m)
	w.audited()
}
