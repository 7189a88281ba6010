package consumer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/unecho/unecho/consumer/removal"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/snapshot"
)

// removes opens what the group remembers as the verb does.
func (w *world) removes(directory *files.Directory, restoring func(snapshot.Info) error) (*removal.Window, error) {
	return removal.Open(w.context(), &removal.Group{
		Options: w.setup.Kafka, Name: w.setup.Params.Group, Journal: w.setup.Journal, Params: w.setup.Index, Settings: w.setup.Settings,
		Snapshots: func(ctx context.Context) (snapshot.Store, error) {
			return w.stored.OpenExisting(ctx, w.setup.Params.Group)
		},
		Directory: directory, Restoring: restoring,
	})
}

// finds finds documents as the verb does.
func (w *world) finds(directory *files.Directory, names []string) removal.Found {
	w.t.Helper()
	window, err := w.removes(directory, nil)
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

// half is how many documents come before the snapshot, and how many behind it. All of them together need a block.
const half = 5500

// snapshotAndMore makes a window of which the newest snapshot has a part. The journal behind it has the rest, and an erasure.
func snapshotAndMore(t *testing.T) (w *world, directory *files.Directory, path string) {
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
	w, directory, path := snapshotAndMore(t)
	names := []string{"nobody"}
	for partition := range 4 {
		for offset := range 2 * half / 4 {
			names = append(names, fmt.Sprintf("news/%d/%d", partition, offset))
		}
	}
	want, got := w.finds(nil, names), w.finds(directory, names)
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
	w, directory, path := snapshotAndMore(t)
	window, err := w.removes(directory, nil)
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
	w, directory, _ := snapshotAndMore(t)
	refused := errors.New("it is too large")
	var asked snapshot.Info
	_, err := w.removes(directory, func(s snapshot.Info) error {
		asked = s
		return refused
	})
	if !errors.Is(err, refused) || asked.Documents < half/2 || asked.Bytes < 100*asked.Documents {
		t.Errorf("asked about %d documents of %d bytes, it ends with %v", asked.Documents, asked.Bytes, err)
	}
	if segments, _, err := directory.Usage(); err != nil || segments > 0 {
		t.Errorf("%d segments were restored, error %v", segments, err)
	}
	if err := directory.End(false); err != nil {
		t.Error(err)
	}
}
