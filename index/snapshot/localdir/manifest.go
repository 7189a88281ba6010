package localdir

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/unecho/unecho/index/snapshot"
)

// Publish implements snapshot.Store.
func (s *Store) Publish(ctx context.Context, m snapshot.Manifest) error {
	err := m.Check(s.index)
	if err == nil {
		err = s.exclusively(ctx, func() error { return s.publish(ctx, &m) })
	}
	return wrap(err, "publish snapshot at %v", m.Position)
}

func (s *Store) publish(ctx context.Context, m *snapshot.Manifest) error {
	var missing []string
	for _, segment := range m.Segments {
		size, err := s.segmentSize(segment.Name)
		if err != nil {
			return err
		}
		if size != segment.Bytes+snapshot.Overhead {
			missing = append(missing, segment.Name)
		}
	}
	if len(missing) > 0 {
		return &snapshot.MissingSegmentsError{Names: missing}
	}
	published, err := s.positions()
	if err != nil {
		return err
	}
	for _, p := range published {
		if p.Newer(m.Position) {
			return fmt.Errorf("%w: %v", snapshot.ErrStale, p)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.write(s.manifestPath(m.Position), m.Encode())
}

// positions returns those of the published manifests, oldest offset first.
func (s *Store) positions() ([]snapshot.Position, error) {
	files, err := os.ReadDir(filepath.Join(s.root, manifestsDir))
	if err != nil {
		return nil, err
	}
	positions := make([]snapshot.Position, 0, len(files))
	for _, file := range files {
		if p, ok := snapshot.ParseFileName(file.Name()); ok {
			positions = append(positions, p)
		}
	}
	return positions, nil
}

// Manifests implements snapshot.Store.
func (s *Store) Manifests(ctx context.Context) ([]snapshot.Info, error) {
	infos, err := s.infos(ctx)
	return infos, wrap(err, "list snapshots")
}

func (s *Store) infos(ctx context.Context) ([]snapshot.Info, error) {
	positions, err := s.positions()
	if err != nil {
		return nil, err
	}
	infos := make([]snapshot.Info, 0, len(positions))
	for _, p := range positions {
		info, err := s.info(p)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted by a collector since the listing
		}
		if err = errors.Join(ctx.Err(), err); err != nil {
			return nil, err
		}
		infos = append(infos, info)
	}
	snapshot.SortInfos(infos)
	return infos, nil
}

func (s *Store) info(p snapshot.Position) (snapshot.Info, error) {
	f, err := os.Open(s.manifestPath(p))
	if err != nil {
		return snapshot.Info{}, err
	}
	head, err := io.ReadAll(io.LimitReader(f, snapshot.HeadBytes))
	file, statErr := f.Stat()
	if err := errors.Join(err, statErr, f.Close()); err != nil {
		return snapshot.Info{}, err
	}
	info, ok := snapshot.DecodeHead(head)
	if !ok || info.Position != p {
		info = snapshot.Info{Position: p}
	}
	info.Published = file.ModTime().UnixMilli()
	return info, nil
}

// Manifest implements snapshot.Store.
func (s *Store) Manifest(ctx context.Context, at snapshot.Position) (snapshot.Manifest, error) {
	m, err := s.manifest(ctx, at)
	return m, wrap(err, "read snapshot at %v", at)
}

func (s *Store) manifest(ctx context.Context, at snapshot.Position) (snapshot.Manifest, error) {
	if err := ctx.Err(); err != nil {
		return snapshot.Manifest{}, err
	}
	path := s.manifestPath(at)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return snapshot.Manifest{}, snapshot.ErrNoManifest
	}
	if err != nil {
		return snapshot.Manifest{}, err
	}
	return snapshot.ReadManifest(data, at, s.index, "manifest "+path)
}
