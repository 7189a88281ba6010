package consumer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/unecho/unecho/consumer/removal"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/snapshot"
)

// removes is what the verb is asked to look at.
func (w *world) removes(directory *files.Directory) *removal.Group {
	group := w.setup.Params.Group
	return &removal.Group{
		Options: w.setup.Kafka, Name: group, Journal: w.setup.Journal, Params: w.setup.Index, Settings: w.setup.Settings,
		Snapshots: func(ctx context.Context) (snapshot.Store, error) { return w.stored.OpenExisting(ctx, group) },
		Directory: directory,
	}
}

// watched is a store that calls a function when a segment was fetched.
type watched struct {
	snapshot.Store
	fetched func()
}

// Segment implements snapshot.Store.
func (s watched) Segment(ctx context.Context, name string) ([]byte, error) {
	data, err := s.Store.Segment(ctx, name)
	s.fetched()
	return data, err
}

// finds finds documents as the verb does.
func (w *world) finds(of *removal.Group, names []string) removal.Found {
	w.t.Helper()
	window, err := removal.Open(w.context(), of)
	if err != nil {
		w.t.Fatal(err)
	}
	defer window.Close()
	found, err := window.Find(w.context(), names, false)
	if err != nil {
		w.t.Fatal(err)
	}
	return found
}

// snapshotAndMore makes a window of which the newest snapshot has a part. The journal behind it has as many documents, and an
// erasure.
func snapshotAndMore(t *testing.T, half int) (w *world, directory *files.Directory, path string) {
	t.Helper()
	w, _ = remembering(t, 8000)
	w.setup.Snapshot.Every = time.Hour
	m := w.start()
	w.produce(half, 1)
	w.settled()
	w.ended(m) // with a last snapshot
	m = w.start()
	w.produce(half, 2)
	w.settled()
	if _, _, err := m.Forget(w.context(), []string{"news/1/10", "news/2/20", "news/3/400"}, false, false); err != nil {
		t.Fatal(err)
	}
	m.kill()
	path = filepath.Join(t.TempDir(), "old")
	directory, err := files.OpenRun(path, "a test", false)
	if err != nil {
		t.Fatal(err)
	}
	return w, directory, path
}

// TestForgetWithDirectory: the verb forget finds in the files of a directory what it finds in memory, and leaves nothing.
func TestForgetWithDirectory(t *testing.T) {
	t.Parallel()
	const half = 5500 // twice as many need a block
	w, directory, path := snapshotAndMore(t, half)
	names := []string{"nobody"}
	for partition := range 4 {
		for offset := range 2 * half / 4 {
			names = append(names, fmt.Sprintf("news/%d/%d", partition, offset))
		}
	}
	want := w.finds(w.removes(nil), names)
	of, most := w.removes(directory), atomic.Int64{} // segments that lie in files while others are fetched
	open := of.Snapshots
	of.Snapshots = func(ctx context.Context) (snapshot.Store, error) {
		store, err := open(ctx)
		return watched{store, func() {
			if segments, _, err := directory.Usage(); err == nil && int64(segments) > most.Load() {
				most.Store(int64(segments))
			}
		}}, err
	}
	got := w.finds(of, names)
	if most.Load() == 0 {
		t.Error("the snapshot is restored in memory")
	}
	if !reflect.DeepEqual(got, want) || len(want.Documents) < half || len(want.Unknown) < half/2 {
		t.Errorf("in files %d documents are found, and %d names are of none; in memory %d and %d, or others", len(got.Documents),
			len(got.Unknown), len(want.Documents), len(want.Unknown))
	}
	if segments, _, err := directory.Usage(); err != nil || segments < 24 {
		t.Errorf("%d segments lie in files, error %v; want those of the snapshot and of the journal behind it", segments, err)
	}
	if blocks, err := filepath.Glob(filepath.Join(path, "*.block")); err != nil || len(blocks) == 0 {
		t.Errorf("no block finds them: %v", err)
	}
	if err := directory.End(false); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory is there still: %v", err)
	}
}

// TestForgetWithDamagedFiles: a file that is damaged meanwhile ends the verb, which names it.
func TestForgetWithDamagedFiles(t *testing.T) {
	t.Parallel()
	w, directory, path := snapshotAndMore(t, 1500)
	window, err := removal.Open(w.context(), w.removes(directory))
	if err != nil {
		t.Fatal(err)
	}
	defer window.Close()
	segments, err := filepath.Glob(filepath.Join(path, "????????????????????????????????????????????????????????????????"))
	if err != nil || len(segments) == 0 {
		t.Fatalf("there are %d segments, error %v", len(segments), err)
	}
	for _, name := range segments {
		if err := os.Truncate(name, 1000); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := window.Find(w.context(), []string{"news/0/0"}, false); !errors.Is(err, files.ErrUnreadable) {
		t.Errorf("with damaged files it ends with %v", err)
	}
	if err := directory.End(false); err != nil {
		t.Error(err)
	}
}

// TestForgetIsRefused: a window that is too large is refused before it is restored, though the journal is whole.
func TestForgetIsRefused(t *testing.T) {
	t.Parallel()
	w, directory, _ := snapshotAndMore(t, 1500)
	refused := errors.New("it is too large")
	var asked snapshot.Info
	of := w.removes(directory)
	of.Restoring = func(s snapshot.Info) error {
		asked = s
		return refused
	}
	_, err := removal.Open(w.context(), of)
	if !errors.Is(err, refused) || asked.Documents < 750 || asked.Bytes < 100*asked.Documents {
		t.Errorf("asked about %d documents of %d bytes, it ends with %v", asked.Documents, asked.Bytes, err)
	}
	if segments, _, err := directory.Usage(); err != nil || segments > 0 {
		t.Errorf("%d segments were restored, error %v", segments, err)
	}
	if err := directory.End(false); err != nil {
		t.Error(err)
	}
}
