package s3

import (
	"context"
	"errors"
	"strings"

	"github.com/minio/minio-go/v7"

	"github.com/unecho/unecho/index/snapshot"
)

const segmentsKey = "segments/"

// PutSegment implements snapshot.Store.
func (s *Store) PutSegment(ctx context.Context, name string, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, dataBound)
	defer cancel()
	sealed, err := snapshot.SealSegment(name, data)
	if err == nil {
		_, err = s.put(ctx, s.root+segmentsKey+name, sealed, condition{})
	}
	return s.wrap(err, "put segment %s", name)
}

// HasSegments implements snapshot.Store.
func (s *Store) HasSegments(ctx context.Context, names []string) (missing []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	stored, err := s.segments(ctx)
	if err != nil {
		return nil, s.wrap(err, "look for segments")
	}
	for _, name := range names {
		if _, ok := stored[name]; !ok {
			missing = append(missing, name)
		}
	}
	return missing, nil
}

// segments lists those that are stored, by their names.
func (s *Store) segments(ctx context.Context) (map[string]minio.ObjectInfo, error) {
	objects, err := s.list(ctx, s.root+segmentsKey)
	stored := make(map[string]minio.ObjectInfo, len(objects))
	for _, o := range objects {
		if name := strings.TrimPrefix(o.Key, s.root+segmentsKey); snapshot.ValidSegmentName(name) {
			stored[name] = o
		}
	}
	return stored, err
}

// Segment implements snapshot.Store.
func (s *Store) Segment(ctx context.Context, name string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, dataBound)
	defer cancel()
	data, err := s.segment(ctx, name)
	return data, s.wrap(err, "read segment")
}

func (s *Store) segment(ctx context.Context, name string) ([]byte, error) {
	missing := &snapshot.MissingSegmentsError{Names: []string{name}}
	if !snapshot.ValidSegmentName(name) {
		return nil, missing
	}
	found, err := s.get(ctx, s.root+segmentsKey+name, snapshot.MaxBytes+snapshot.Overhead, false)
	if errors.Is(err, errAbsent) {
		return nil, missing
	}
	if err != nil {
		return nil, err
	}
	data, err := snapshot.Open(snapshot.KindSegment, found.data)
	return data, snapshot.Locate(err, "segment "+s.root+segmentsKey+name)
}
