package verify_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/localdir"
	"github.com/unecho/unecho/index/snapshot/storetest"
	"github.com/unecho/unecho/index/snapshot/verify"
)

// counted counts the segments that are read, by several goroutines.
type counted struct {
	snapshot.Store
	mu       sync.Mutex
	segments map[string]int
}

func (c *counted) Segment(ctx context.Context, name string) ([]byte, error) {
	c.mu.Lock()
	c.segments[name]++
	c.mu.Unlock()
	return c.Store.Segment(ctx, name)
}

// shelf is a directory with two snapshots, and the settings that decode their state.
func shelf(t *testing.T) (dir string, store snapshot.Store, state func(*snapshot.Manifest) (*index.Restore, error)) {
	t.Helper()
	dir = t.TempDir()
	feed := storetest.NewStream(t, 5000, 4)
	store, err := localdir.Params{Path: dir}.Open(t.Context(), feed.Manifest().Index)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	writer := feed.Writer(store)
	for range 2 {
		feed.Judge(1000)
		feed.Write(t, writer)
	}
	return dir, store, func(m *snapshot.Manifest) (*index.Restore, error) {
		return index.NewRestore(feed.Params, m.Fingerprint, m.State)
	}
}

func reports(t *testing.T, v *verify.Verifier, store snapshot.Store) (all []verify.Report) {
	t.Helper()
	infos, err := store.Manifests(t.Context())
	if err != nil || len(infos) != 2 {
		t.Fatalf("%d snapshots, %v", len(infos), err)
	}
	for _, info := range infos {
		r, err := v.Verify(t.Context(), info)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// A whole snapshot has no problems, and each segment is read once, however many snapshots name it.
func TestWhole(t *testing.T) {
	_, store, state := shelf(t)
	reading := &counted{Store: store, segments: map[string]int{}}
	all := reports(t, verify.New(reading, state), store)
	for _, r := range all {
		if documents, _ := r.Manifest.Totals(); len(r.Problems) > 0 || documents == 0 {
			t.Errorf("%v: %d documents, %v", r.Info.Position, documents, r.Problems)
		}
	}
	for name, times := range reading.segments {
		if times != 1 {
			t.Errorf("segment %s is read %d times", name, times)
		}
	}
	if got := verify.Outlook(all); !strings.HasPrefix(got, "a member that starts restores the one at ") {
		t.Errorf("Outlook of whole snapshots is %q; want the one that a member restores", got)
	}
}

// A byte of a segment that only the newest snapshot names is changed: that snapshot is damaged, and a start skips
// it. If the store itself fails, nothing is said about a snapshot.
func TestDamaged(t *testing.T) {
	dir, store, state := shelf(t)
	before := reports(t, verify.New(store, state), store)
	names := map[string]bool{}
	for _, s := range before[1].Manifest.Segments {
		names[s.Name] = true
	}
	harmed := 0
	for _, s := range before[0].Manifest.Segments {
		if !names[s.Name] {
			harm(t, dir, s.Name)
			harmed++
		}
	}
	all := reports(t, verify.New(store, state), store)
	if harmed == 0 || len(all[0].Problems) != harmed || len(all[1].Problems) != 0 ||
		!strings.HasPrefix(all[0].Problems[0].Error(), "segment ") {
		t.Fatalf("%d harmed: %v, %v", harmed, all[0].Problems, all[1].Problems)
	}
	if got := verify.Outlook(all); !strings.HasPrefix(got, "a member that starts skips ") {
		t.Errorf("Outlook of a damaged snapshot is %q; want that a member passes over it", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := verify.New(store, state).Verify(ctx, all[0].Info); !errors.Is(err, context.Canceled) {
		t.Errorf("a store that fails: %v", err)
	}
}

// harm changes the last byte of a segment's file.
func harm(t *testing.T, dir, name string) {
	t.Helper()
	found := false
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.Contains(filepath.Base(path), name) {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found = true
		data[len(data)-1] ^= 1
		return errors.Join(os.Chmod(path, 0o600), os.WriteFile(path, data, 0o600))
	})
	if err != nil || !found {
		t.Fatalf("segment %s: found %v, %v", name, found, err)
	}
}

// pruned prunes all snapshots but the newest when the first segment, or the manifest after it, is read.
type pruned struct {
	snapshot.Store
	once sync.Once
}

func (p *pruned) Manifest(ctx context.Context, at snapshot.Position) (snapshot.Manifest, error) {
	p.once.Do(func() { _, _ = p.Collect(ctx, 1) })
	return p.Store.Manifest(ctx, at)
}

func (p *pruned) Segment(ctx context.Context, name string) ([]byte, error) {
	p.once.Do(func() { _, _ = p.Collect(ctx, 1) })
	return nil, snapshot.ErrMissingSegment
}

// A snapshot that is pruned after it was listed is no damage: it is gone.
func TestGone(t *testing.T) {
	_, store, state := shelf(t)
	infos, err := store.Manifests(t.Context())
	if err != nil || len(infos) != 2 {
		t.Fatalf("%d snapshots, %v", len(infos), err)
	}
	verifier := verify.New(&pruned{Store: store}, state)
	r, err := verifier.Verify(t.Context(), infos[1])
	if err != nil || !r.Gone || len(r.Problems) > 0 {
		t.Errorf("Verify of a snapshot that is pruned gives %+v, error %v; want it gone, no problems and no error", r, err)
	}
	if got := verify.Outlook([]verify.Report{r}); !strings.Contains(got, "were pruned meanwhile") {
		t.Errorf("Outlook of a snapshot that is gone is %q; want that it was pruned meanwhile", got)
	}
	whole, err := verify.New(store, state).Verify(t.Context(), infos[0])
	if err != nil || whole.Gone || len(whole.Problems) > 0 {
		t.Errorf("Verify of the whole snapshot gives %+v, error %v; want it there, no problems and no error", whole, err)
	}
	if got := verify.Outlook([]verify.Report{r, whole}); !strings.HasPrefix(got,
		"a member that starts restores the one at ") {
		t.Errorf("Outlook of one that is gone and one that is whole is %q; want the one that a member restores", got)
	}
}

// So is one whose segments are deleted while they are read.
func TestGoneBetween(t *testing.T) {
	_, store, state := shelf(t)
	infos, err := store.Manifests(t.Context())
	if err != nil || len(infos) != 2 {
		t.Fatalf("%d snapshots, %v", len(infos), err)
	}
	between := &pruned{Store: store}
	r, err := verify.New(&late{between}, state).Verify(t.Context(), infos[1])
	if err != nil || !r.Gone || len(r.Problems) > 0 {
		t.Errorf("Verify of a snapshot that is pruned between gives %+v, error %v; want it gone, no problems and no error", r, err)
	}
}

// late is a store in which only the reading of a segment prunes.
type late struct{ *pruned }

func (l *late) Manifest(ctx context.Context, at snapshot.Position) (snapshot.Manifest, error) {
	return l.Store.Manifest(ctx, at)
}
