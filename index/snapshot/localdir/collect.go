package localdir

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/unecho/unecho/index/snapshot"
)

// Collect implements snapshot.Store.
func (s *Store) Collect(ctx context.Context, keep int) (done snapshot.Collected, err error) {
	err = s.exclusively(ctx, func() error { return s.collect(ctx, keep, &done) })
	return done, wrap(err, "collect snapshots")
}

func (s *Store) collect(ctx context.Context, keep int, done *snapshot.Collected) error {
	now, err := s.now()
	if err != nil {
		return err
	}
	infos, err := s.infos(ctx)
	if err != nil {
		return err
	}
	expired, err := snapshot.Expired(infos, keep, now.UnixMilli())
	if err != nil {
		return err
	}
	needed, err := snapshot.Needed(infos, expired, func(at snapshot.Position) (snapshot.Manifest, error) {
		return s.manifest(ctx, at)
	})
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
	if err := s.disk.SyncDir(filepath.Join(s.root, manifestsDir)); err != nil {
		return err
	}
	return s.sweep(ctx, needed, now.Add(-snapshot.Grace), done)
}

// sweep deletes segments that are neither needed nor put after young.
func (s *Store) sweep(ctx context.Context, needed map[string]bool, young time.Time, done *snapshot.Collected) error {
	root := filepath.Join(s.root, segmentsDir)
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if d.IsDir() || needed[d.Name()] || !snapshot.ValidSegmentName(d.Name()) {
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
