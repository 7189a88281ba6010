package objects

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/unecho/unecho/index/snapshot"
)

// takeBackBound is how long it may take to take a manifest back.
const takeBackBound = 2 * time.Second

// Store is the part of a snapshot.Store that is alike in all places. A place that is reached over a network bounds how long its
// calls take.
type Store struct {
	Place Place
	Index string
	// Margin is what must be left of the time under the lock for another deletion; 0: the lock is held for as long as it takes.
	Margin time.Duration
	// OnTheWay says that a manifest may be damaged only on its way here, and that its segments are needed then.
	OnTheWay bool
}

func manifestName(p snapshot.Position) string { return Manifests + p.FileName() }

// PutSegment implements snapshot.Store.
func (s *Store) PutSegment(ctx context.Context, name string, data []byte) error {
	sealed, err := snapshot.SealSegment(name, data)
	if err == nil {
		err = s.Place.Put(ctx, Segments+name, sealed)
	}
	return s.Place.Wrap(err, "put segment %s", name)
}

// HasSegments implements snapshot.Store.
func (s *Store) HasSegments(ctx context.Context, names []string) (missing []string, err error) {
	stored, err := s.segments(ctx)
	if err != nil {
		return nil, s.Place.Wrap(err, "look for segments")
	}
	for _, name := range names {
		if _, ok := stored[name]; !ok {
			missing = append(missing, name)
		}
	}
	return missing, nil
}

// segments lists those that are stored, by their names.
func (s *Store) segments(ctx context.Context) (map[string]Object, error) {
	all, err := s.Place.List(ctx, Segments)
	stored := make(map[string]Object, len(all))
	for _, o := range all {
		if name := strings.TrimPrefix(o.Name, Segments); snapshot.ValidSegmentName(name) {
			stored[name] = o
		}
	}
	return stored, err
}

// Segment implements snapshot.Store.
func (s *Store) Segment(ctx context.Context, name string) ([]byte, error) {
	data, err := s.segment(ctx, name)
	return data, s.Place.Wrap(err, "read segment")
}

func (s *Store) segment(ctx context.Context, name string) ([]byte, error) {
	missing := &snapshot.MissingSegmentsError{Names: []string{name}}
	if !snapshot.ValidSegmentName(name) {
		return nil, missing
	}
	sealed, err := s.Place.Read(ctx, Segments+name, snapshot.MaxBytes+snapshot.Overhead)
	if errors.Is(err, ErrAbsent) {
		return nil, missing
	}
	if err != nil {
		return nil, err
	}
	data, err := snapshot.Open(snapshot.KindSegment, sealed)
	return data, snapshot.Locate(err, "segment "+s.Place.Called(Segments+name))
}

// Publish implements snapshot.Store.
func (s *Store) Publish(ctx context.Context, m snapshot.Manifest) error {
	err := m.Check(s.Index)
	if err == nil {
		err = s.Place.Exclusively(ctx, func(ctx context.Context) error { return s.publish(ctx, &m) })
	}
	return s.Place.Wrap(err, "publish snapshot at %v", m.Position)
}

// publish looks for the segments again after the manifest is there: a collector that lost the lock to this member may
// have deleted one in between. Then the manifest is taken back.
func (s *Store) publish(ctx context.Context, m *snapshot.Manifest) error {
	if err := s.complete(ctx, m); err != nil {
		return err
	}
	published, err := s.published(ctx)
	if err != nil {
		return err
	}
	for _, i := range published {
		if i.Position.Newer(m.Position) {
			return fmt.Errorf("%w: %v", snapshot.ErrStale, i.Position)
		}
	}
	name, sealed := manifestName(m.Position), m.Encode()
	if err := s.Place.Put(ctx, name, sealed); err != nil {
		return err
	}
	switch found, err := s.Place.Read(ctx, name, int64(len(sealed))); {
	case err != nil && !errors.Is(err, ErrAbsent):
		return err
	case !bytes.Equal(found, sealed):
		return errors.Join(err, errors.New("the manifest cannot be read back as it was written"))
	}
	err = s.complete(ctx, m)
	if errors.Is(err, snapshot.ErrMissingSegment) {
		back, cancel := context.WithTimeout(context.WithoutCancel(ctx), takeBackBound)
		defer cancel()
		err = errors.Join(err, s.Place.Delete(back, name))
	}
	return err
}

// complete checks that each segment is stored with its length.
func (s *Store) complete(ctx context.Context, m *snapshot.Manifest) error {
	stored, err := s.segments(ctx)
	if err != nil {
		return err
	}
	var missing []string
	for _, segment := range m.Segments {
		if o, ok := stored[segment.Name]; !ok || o.Bytes != segment.Bytes+snapshot.Overhead {
			missing = append(missing, segment.Name)
		}
	}
	if len(missing) > 0 {
		return &snapshot.MissingSegmentsError{Names: missing}
	}
	return nil
}

// published lists the manifests without reading them: where they are, and when they were published.
func (s *Store) published(ctx context.Context) ([]snapshot.Info, error) {
	all, err := s.Place.List(ctx, Manifests)
	infos := make([]snapshot.Info, 0, len(all))
	for _, o := range all {
		if p, ok := snapshot.ParseFileName(strings.TrimPrefix(o.Name, Manifests)); ok {
			infos = append(infos, snapshot.Info{Position: p, Published: o.At.UnixMilli()})
		}
	}
	return infos, err
}

// Manifests implements snapshot.Store.
func (s *Store) Manifests(ctx context.Context) ([]snapshot.Info, error) {
	infos, err := s.infos(ctx, false)
	return infos, s.Place.Wrap(err, "list snapshots")
}

// infos lists the published snapshots. One that was deleted since the listing is left out, unless the lock is held, under
// which nobody deletes.
func (s *Store) infos(ctx context.Context, locked bool) ([]snapshot.Info, error) {
	published, err := s.published(ctx)
	if err != nil {
		return nil, err
	}
	infos := make([]snapshot.Info, 0, len(published))
	for _, i := range published {
		head, err := s.Place.Head(ctx, manifestName(i.Position), snapshot.HeadBytes)
		if errors.Is(err, ErrAbsent) && !locked {
			continue
		}
		if err != nil {
			return nil, err
		}
		if info, ok := snapshot.DecodeHead(head); ok && info.Position == i.Position {
			info.Published = i.Published
			i = info
		}
		infos = append(infos, i)
	}
	snapshot.SortInfos(infos)
	return infos, nil
}

// Manifest implements snapshot.Store.
func (s *Store) Manifest(ctx context.Context, at snapshot.Position) (snapshot.Manifest, error) {
	m, err := s.manifest(ctx, at)
	return m, s.Place.Wrap(err, "read snapshot at %v", at)
}

func (s *Store) manifest(ctx context.Context, at snapshot.Position) (snapshot.Manifest, error) {
	name := manifestName(at)
	sealed, err := s.Place.Read(ctx, name, 2*snapshot.MaxBytes)
	if errors.Is(err, ErrAbsent) {
		return snapshot.Manifest{}, snapshot.ErrNoManifest
	}
	if err != nil {
		return snapshot.Manifest{}, err
	}
	return snapshot.ReadManifest(sealed, at, s.Index, "manifest "+s.Place.Called(name))
}
