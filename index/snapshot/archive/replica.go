package archive

import (
	"context"
	"errors"
	"io"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/window"
)

// WriteCaptured writes the snapshot of a replica that is in no store: m has all but its segments, which are views of the
// capture. files has those that are not in memory; nil: all are.
func WriteCaptured(
	ctx context.Context, w io.Writer, m snapshot.Manifest, views []window.View, files snapshot.Segments,
) error {
	s := captured{views: make(map[string]*window.View, len(views)), files: files}
	m.Segments = nil
	var data []byte
	var err error
	for i := range views {
		view := &views[i]
		if data, err = snapshot.Encoded(ctx, files, view, data[:0]); err != nil {
			return err
		}
		segment := snapshot.NewSegment(data, view.Documents())
		segment.Number, segment.Sealed = view.Number, view.Sealed
		s.views[segment.Name] = view
		m.Segments = append(m.Segments, segment)
	}
	return Write(ctx, w, s, &m)
}

// captured encodes a segment, or reads it from its file, when it is fetched.
type captured struct {
	views map[string]*window.View
	files snapshot.Segments
}

// Segment implements snapshot.Fetcher.
func (s captured) Segment(ctx context.Context, name string) ([]byte, error) {
	view, ok := s.views[name]
	if !ok {
		return nil, &snapshot.MissingSegmentsError{Names: []string{name}}
	}
	return snapshot.Encoded(ctx, s.files, view, nil)
}

// Restore restores the replica of the snapshot, and reads it to its end. The arguments are those of snapshot.Restore: m
// may name segments that lie in files beside those of the archive. The reader must not have been read from.
func (r *Reader) Restore(
	ctx context.Context, files snapshot.Files, m *snapshot.Manifest, state *index.Restore, done func(segments int),
) (*index.Replica, error) {
	replica, err := snapshot.Restore(ctx, r, files, m, state, done)
	if err != nil {
		return nil, err
	}
	for err == nil { // what was not asked for, and the end
		_, _, err = r.Next()
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return replica, nil
}
