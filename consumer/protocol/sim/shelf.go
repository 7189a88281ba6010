package sim

import (
	"bytes"
	"context"
	"slices"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
)

// snapshotted is a captured replica as the store has it.
type snapshotted struct {
	next     int64
	manifest snapshot.Manifest
	damaged  bool
}

// encoded is a captured replica, written whole.
type encoded struct {
	state    []byte
	segments [][]byte
}

func encode(c *index.Capture) encoded {
	e := encoded{state: c.State()}
	for i := range c.Segments {
		e.segments = append(e.segments, c.Segments[i].Append(nil))
	}
	return e
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
	return bytes.Clone(s.segments[name]), nil
}

func (s *shelf) Publish(_ context.Context, m snapshot.Manifest) error {
	s.published = m
	return nil
}

// newWriter is what a member writes snapshots with. It knows what the snapshot has that its replica was restored from.
func (w *World) newWriter(m *member) *snapshot.Writer {
	writer := snapshot.NewWriter(w.shelf, w.index, w.ours)
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
	if _, err := m.writer.Write(context.Background(), c, at); err != nil {
		w.bad("member %d stores j%d: %v", m.number, c.Next, err)
		return false
	}
	w.snapshots = append(w.snapshots, snapshotted{next: c.Next, manifest: w.shelf.published})
	w.checkErasedBytes(&w.snapshots[len(w.snapshots)-1])
	return true
}

func (s *snapshotted) restore(w *World) (*index.Replica, error) {
	restore, err := index.NewRestore(w.index, w.ours, s.manifest.State)
	if err != nil {
		return nil, err
	}
	for _, segment := range s.manifest.Segments {
		d, err := restore.Decode(w.shelf.segments[segment.Name])
		if err != nil {
			return nil, err
		}
		if err := restore.Add(d); err != nil {
			return nil, err
		}
	}
	return restore.Replica(nil)
}

// holds says whether a snapshot has what was encoded.
func (s *snapshotted) holds(of *shelf, e *encoded) bool {
	return bytes.Equal(s.manifest.State, e.state) &&
		slices.EqualFunc(s.manifest.Segments, e.segments, func(segment snapshot.Segment, data []byte) bool {
			return bytes.Equal(of.segments[segment.Name], data)
		})
}
