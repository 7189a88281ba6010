package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/unecho/unecho/index/snapshot"
)

const manifestsKey = "manifests/"

func (s *Store) manifestKey(p snapshot.Position) string { return s.root + manifestsKey + p.FileName() }

// Publish implements snapshot.Store.
func (s *Store) Publish(ctx context.Context, m snapshot.Manifest) error {
	err := m.Check(s.index)
	if err == nil {
		err = s.exclusively(ctx, func(ctx context.Context) error { return s.publish(ctx, &m) })
	}
	return s.wrap(err, "publish snapshot at %v", m.Position)
}

// publish looks for the segments again after the manifest is there: a collector that lost the lock to this member may
// have deleted one in between. Then the manifest is taken back.
func (s *Store) publish(ctx context.Context, m *snapshot.Manifest) error {
	if err := s.complete(ctx, m); err != nil {
		return err
	}
	published, err := s.positions(ctx)
	if err != nil {
		return err
	}
	for _, p := range published {
		if p.Newer(m.Position) {
			return fmt.Errorf("%w: %v", snapshot.ErrStale, p)
		}
	}
	key, sealed := s.manifestKey(m.Position), m.Encode()
	if _, err := s.put(ctx, key, sealed, condition{}); err != nil {
		return err
	}
	if found, err := s.get(ctx, key, int64(len(sealed)), false); err != nil || !bytes.Equal(found.data, sealed) {
		return errors.Join(err, errors.New("the manifest cannot be read back as it was written"))
	}
	err = s.complete(ctx, m)
	if errors.Is(err, snapshot.ErrMissingSegment) {
		back, cancel := context.WithTimeout(context.WithoutCancel(ctx), goodbyeBound)
		defer cancel()
		err = errors.Join(err, s.delete(back, key))
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
		if o, ok := stored[segment.Name]; !ok || o.Size != segment.Bytes+snapshot.Overhead {
			missing = append(missing, segment.Name)
		}
	}
	if len(missing) > 0 {
		return &snapshot.MissingSegmentsError{Names: missing}
	}
	return nil
}

// positions returns those of the published manifests, oldest offset first.
func (s *Store) positions(ctx context.Context) ([]snapshot.Position, error) {
	objects, err := s.list(ctx, s.root+manifestsKey)
	positions := make([]snapshot.Position, 0, len(objects))
	for _, o := range objects {
		if p, ok := snapshot.ParseFileName(strings.TrimPrefix(o.Key, s.root+manifestsKey)); ok {
			positions = append(positions, p)
		}
	}
	return positions, err
}

// Manifests implements snapshot.Store.
func (s *Store) Manifests(ctx context.Context) ([]snapshot.Info, error) {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	infos, err := s.infos(ctx, false)
	return infos, s.wrap(err, "list snapshots")
}

// infos lists the published snapshots. One that was deleted since the listing is left out, unless the lock is held, under
// which nobody deletes.
func (s *Store) infos(ctx context.Context, locked bool) ([]snapshot.Info, error) {
	positions, err := s.positions(ctx)
	if err != nil {
		return nil, err
	}
	infos := make([]snapshot.Info, 0, len(positions))
	for _, p := range positions {
		found, err := s.get(ctx, s.manifestKey(p), snapshot.HeadBytes, true)
		if errors.Is(err, errAbsent) && !locked {
			continue
		}
		if err != nil {
			return nil, err
		}
		info, ok := snapshot.DecodeHead(found.data)
		if !ok || info.Position != p {
			info = snapshot.Info{Position: p}
		}
		info.Published = found.at.UnixMilli()
		infos = append(infos, info)
	}
	snapshot.SortInfos(infos)
	return infos, nil
}

// Manifest implements snapshot.Store.
func (s *Store) Manifest(ctx context.Context, at snapshot.Position) (snapshot.Manifest, error) {
	ctx, cancel := context.WithTimeout(ctx, dataBound)
	defer cancel()
	m, err := s.manifest(ctx, at)
	return m, s.wrap(err, "read snapshot at %v", at)
}

func (s *Store) manifest(ctx context.Context, at snapshot.Position) (snapshot.Manifest, error) {
	key := s.manifestKey(at)
	found, err := s.get(ctx, key, 2*snapshot.MaxBytes, false)
	if errors.Is(err, errAbsent) {
		return snapshot.Manifest{}, snapshot.ErrNoManifest
	}
	if err != nil {
		return snapshot.Manifest{}, err
	}
	return snapshot.ReadManifest(found.data, at, s.index, "manifest "+key)
}
