package localdir

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/unecho/unecho/index/snapshot"
)

// PutSegment implements snapshot.Store.
func (s *Store) PutSegment(ctx context.Context, name string, data []byte) error {
	return wrap(s.putSegment(ctx, name, data), "put segment %s", name)
}

func (s *Store) putSegment(ctx context.Context, name string, data []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	sealed, err := snapshot.SealSegment(name, data)
	if err != nil {
		return err
	}
	path := s.segmentPath(name)
	if err := s.disk.MakeDir(filepath.Dir(path)); err != nil {
		return err
	}
	// The parent is synced even if another member made the directory a moment ago: it may not have synced its name yet.
	if err := s.disk.SyncDir(filepath.Join(s.root, segmentsDir)); err != nil {
		return err
	}
	return s.write(path, sealed)
}

// HasSegments implements snapshot.Store.
func (s *Store) HasSegments(ctx context.Context, names []string) (missing []string, err error) {
	for _, name := range names {
		size, err := s.segmentSize(name)
		if err = errors.Join(ctx.Err(), err); err != nil {
			return nil, wrap(err, "look for segment %s", name)
		}
		if size < 0 {
			missing = append(missing, name)
		}
	}
	return missing, nil
}

// segmentSize returns the length of the sealed segment, or -1.
func (s *Store) segmentSize(name string) (int64, error) {
	if !snapshot.ValidSegmentName(name) {
		return -1, nil
	}
	info, err := os.Stat(s.segmentPath(name))
	if errors.Is(err, fs.ErrNotExist) {
		return -1, nil
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Segment implements snapshot.Store.
func (s *Store) Segment(ctx context.Context, name string) ([]byte, error) {
	data, err := s.segment(ctx, name)
	return data, wrap(err, "read segment")
}

func (s *Store) segment(ctx context.Context, name string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	missing := &snapshot.MissingSegmentsError{Names: []string{name}}
	if !snapshot.ValidSegmentName(name) {
		return nil, missing
	}
	path := s.segmentPath(name)
	sealed, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing
	}
	if err != nil {
		return nil, err
	}
	data, err := snapshot.Open(snapshot.KindSegment, sealed)
	return data, snapshot.Locate(err, "segment "+path)
}
