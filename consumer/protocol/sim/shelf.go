package sim

import (
	"bytes"
	"context"
	"slices"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/window"
)

// snapshotted is a captured replica as the store has it.
type snapshotted struct {
	next     int64
	manifest snapshot.Manifest
	damaged  bool
}

// shelf is a store of snapshots, as far as a writer needs one.
type shelf struct {
	snapshot.Store
	segments  map[string][]byte
	published snapshot.Manifest
}

func (s *shelf) PutSegment(_ context.Context, name string, data []byte) error {
	s.segments[name] = bytes.Clone(data)
	return nil
}

func (s *shelf) Segment(_ context.Context, name string) ([]byte, error) {
	if data, is := s.segments[name]; is {
		return bytes.Clone(data), nil
	}
	return nil, snapshot.ErrMissingSegment
}

func (s *shelf) Publish(_ context.Context, m snapshot.Manifest) error {
	s.published = m
	return nil
}

// newWriter is what a member writes snapshots with. It knows what the snapshot has that its replica was restored from.
func (w *World) newWriter(m *member) *snapshot.Writer {
	writer := snapshot.NewWriter(w.shelf, w.index, w.ours)
	writer.Files = m.files
	for i := range w.snapshots {
		if s := &w.snapshots[i]; s.next == m.began {
			writer.Adopt(&s.manifest)
		}
	}
	return writer
}

// store stores a snapshot, and each segment of it that is not stored yet.
func (w *World) store(m *member, c *index.Capture) bool {
	at := snapshot.Manifest{Index: "unecho", Position: snapshot.Position{JournalTopic: [16]byte{1}, Offset: c.Next}}
	if _, err := m.writer.Write(context.Background(), c, at); snapshot.Damaged(err) && m.files != nil {
		w.act("snapshot without a file") // it is not taken
		return false
	} else if err != nil {
		w.bad("member %d stores j%d: %v", m.number, c.Next, err)
		return false
	}
	w.snapshots = append(w.snapshots, snapshotted{next: c.Next, manifest: w.shelf.published})
	var all [][]byte
	for _, segment := range w.shelf.published.Segments {
		all = append(all, w.shelf.segments[segment.Name])
	}
	w.checkErasedBytes(c.Next, "the snapshot", all)
	return true
}

func (s *snapshotted) restore(w *World, beside snapshot.Files) (*index.Replica, error) {
	state, err := index.NewRestore(w.index, w.ours, s.manifest.State)
	if err != nil {
		return nil, err
	}
	if beside != nil {
		state.Files().BlocksOf(sizes(w))
	}
	return snapshot.Restore(context.Background(), w.shelf, beside, &s.manifest, state, nil)
}

// holds says whether a snapshot has what was captured.
func (s *snapshotted) holds(c *index.Capture) bool {
	return bytes.Equal(s.manifest.State, c.State()) &&
		slices.EqualFunc(s.manifest.Segments, c.Segments, func(segment snapshot.Segment, v window.View) bool {
			return segment.Name == snapshot.SegmentName(v.Append(nil))
		})
}
