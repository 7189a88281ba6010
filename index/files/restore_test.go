package files_test

import (
	"context"
	"errors"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/files/filestest"
	"github.com/unecho/unecho/index/paging"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/window"
)

// stored is a store of one snapshot.
type stored struct {
	snapshot.Store
	manifest snapshot.Manifest
	segments map[string][]byte
}

func (s *stored) Segment(_ context.Context, name string) ([]byte, error) {
	return s.segments[name], nil
}

// TestRestoreWithDamagedBlock: a block is derived from segments, so a snapshot is whole whatever became of one. A merge that
// is due reads it.
func TestRestoreWithDamagedBlock(t *testing.T) {
	memory := filestest.NewMemory()
	d, err := files.OpenIn(memory, "/files", files.Owner{})
	noError(t, err)
	p := ofBlocks()
	replica, err := index.NewReplica(p, index.Fingerprint(testSettings))
	noError(t, err)
	remember(replica)
	found(t, replica, d)
	store := newStored(t, replica, d)
	memory.Damage("/files/"+replica.Files().Blocks()[0].File(), 3)
	noError(t, d.Close())
	d, err = files.OpenIn(memory, "/files", files.Owner{})
	noError(t, err)
	state, err := index.NewRestore(p, index.Fingerprint(testSettings), store.manifest.State)
	noError(t, err)
	state.Files().BlocksOf(window.Sizes{Run: 1, Merge: 2, Parts: 1})
	again, err := snapshot.Restore(t.Context(), store, d, &store.manifest, state, nil)
	if err != nil {
		t.Fatalf("a snapshot that is whole is not restored, because of a block: %v", err)
	}
	if again.Hash() != replica.Hash() {
		t.Error("what was restored has another hash")
	}
	noError(t, d.Close())
}

// TestRestoreIsBrokenOff: a context that ends while a window is linked ends its restore.
func TestRestoreIsBrokenOff(t *testing.T) {
	p := ofBlocks()
	replica, err := index.NewReplica(p, index.Fingerprint(testSettings))
	noError(t, err)
	remember(replica)
	store := newStored(t, replica, nil)
	state, err := index.NewRestore(p, index.Fingerprint(testSettings), store.manifest.State)
	noError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	_, err = snapshot.Restore(ctx, store, nil, &store.manifest, state, func(segments int) {
		if segments == len(store.manifest.Segments) {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
}

// ofBlocks are settings of documents with one key.
func ofBlocks() index.Params {
	p := index.DefaultParams()
	p.Duplicates.Shingle, p.Duplicates.Slots, p.Duplicates.Bands, p.Duplicates.Rows, p.Duplicates.Verify = "word:3", 32, 1, 1, "estimate"
	return p
}

var testSettings = []byte(`{"test":"restore"}`)

// remember has a replica remember 20 documents, two in a segment.
func remember(r *index.Replica) {
	head, source := index.Header{Fingerprint: index.Fingerprint(testSettings)}, entry.Source{Topic: [16]byte{1}}
	records := []index.Record{
		&index.Settings{Text: testSettings}, &index.Reposition{Header: head, Source: source, Name: "test", Partitions: 1, Epoch: 1},
	}
	for i := range byte(20) {
		records = append(records, &index.Run{Header: head, Source: source, Epoch: 1, Entries: []entry.Entry{{
			Offset: int64(i), Content: uint64(i) + 1, Kind: entry.Sketch, Keys: []byte{i, i, i, i}, Evidence: []byte{i},
		}}})
	}
	for i, rec := range records {
		r.Reshape(2, 1<<14) // the settings say otherwise
		r.Apply(index.Stamp{Offset: int64(i)}, rec)
	}
}

// found has the segments of a replica lie in files, and a block find the documents of each.
func found(t *testing.T, r *index.Replica, d *files.Directory) {
	t.Helper()
	of := r.Files()
	of.BlocksOf(window.Sizes{Run: 1, Merge: 2, Parts: 100})
	noError(t, paging.Keep(t.Context(), d, of))
	if n := len(of.Blocks()); n < 4 {
		t.Fatalf("there are %d blocks", n)
	}
}

// newStored stores a snapshot of a replica, but for the segments that lie in files.
func newStored(t testing.TB, of *index.Replica, d *files.Directory) *stored {
	t.Helper()
	c := of.Capture()
	s := &stored{segments: map[string][]byte{}}
	s.manifest.State, s.manifest.Position.Offset = c.State(), c.Next
	for i := range c.Segments {
		v := &c.Segments[i]
		data, err := []byte(nil), error(nil)
		if v.File() == "" {
			data = v.Append(nil)
		} else {
			data, err = d.Read(t.Context(), v.File())
		}
		noError(t, err)
		segment := snapshot.NewSegment(data, v.Documents())
		segment.Number, segment.Sealed = v.Number, v.Sealed
		s.manifest.Segments = append(s.manifest.Segments, segment)
		if v.File() == "" {
			s.segments[segment.Name] = data
		}
	}
	return s
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
