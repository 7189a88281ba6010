package localdir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/unecho/unecho/index/snapshot"
)

// Collect implements snapshot.Store. A damaged manifest counts as one of those kept, but protects no segment, because
// nobody knows which ones it names. A manifest of a newer format stops the collector: its segments are needed.
func (s *Store) Collect(ctx context.Context, keep int) (snapshot.Collected, error) {
	var done snapshot.Collected
	err := errKeep
	if keep >= 1 {
		err = s.exclusively(ctx, func() error { return s.collect(ctx, keep, &done) })
	}
	if err != nil {
		return done, fmt.Errorf("collect snapshots: %w", explain(err))
	}
	return done, nil
}

var errKeep = errors.New("at least one snapshot must be kept")

func (s *Store) collect(ctx context.Context, keep int, done *snapshot.Collected) error {
	now, err := s.now()
	if err != nil {
		return err
	}
	infos, err := s.infos(ctx)
	if err != nil {
		return err
	}
	expired := snapshot.Expired(infos, keep, now.UnixMilli())
	named, err := s.named(ctx, infos, expired)
	if err != nil {
		return err
	}
	for _, p := range expired {
		if err := os.Remove(s.manifestPath(p)); err != nil {
			return err
		}
		done.Manifests++
	}
	// A segment must not be deleted before the manifest that names it is durably gone.
	if err := syncDir(filepath.Join(s.root, manifestsDir)); err != nil {
		return err
	}
	return s.sweep(ctx, named, now.Add(-snapshot.Grace), done)
}

// named returns the segments of all manifests except the expired ones.
func (s *Store) named(ctx context.Context, infos []snapshot.Info,
	expired []snapshot.Position,
) (map[string]bool, error) {
	named := make(map[string]bool)
	for _, info := range infos {
		if slices.Contains(expired, info.Position) {
			continue
		}
		m, err := s.manifest(ctx, info.Position)
		var corrupt *snapshot.CorruptError
		if errors.As(err, &corrupt) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, segment := range m.Segments {
			named[segment.Name] = true
		}
	}
	return named, nil
}

// sweep deletes segments that are neither named nor put after young.
func (s *Store) sweep(ctx context.Context, named map[string]bool, young time.Time, done *snapshot.Collected) error {
	root := filepath.Join(s.root, segmentsDir)
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if d.IsDir() || named[d.Name()] || !snapshot.ValidSegmentName(d.Name()) {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.ModTime().After(young) {
			return nil
		}
		if err := os.Remove(path); err != nil {
			return err
		}
		done.Segments++
		done.Bytes += info.Size()
		return nil
	})
}
