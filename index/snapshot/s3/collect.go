package s3

import (
	"context"
	"time"

	"github.com/unecho/unecho/index/snapshot"
)

// Collect implements snapshot.Store. Where the lock ends before all is deleted, the next one goes on.
func (s *Store) Collect(ctx context.Context, keep int) (snapshot.Collected, error) {
	var done snapshot.Collected
	err := s.exclusively(ctx, func(ctx context.Context) error { return s.collect(ctx, keep, &done) })
	return done, s.wrap(err, "collect snapshots")
}

func (s *Store) collect(ctx context.Context, keep int, done *snapshot.Collected) error {
	infos, err := s.infos(ctx, true)
	if err != nil {
		return err
	}
	now := s.clock.now()
	expired, err := snapshot.Expired(infos, keep, now.UnixMilli())
	if err != nil {
		return err
	}
	damaged := false
	needed, err := snapshot.Needed(infos, expired, func(at snapshot.Position) (snapshot.Manifest, error) {
		m, err := s.manifest(ctx, at)
		damaged = damaged || snapshot.Damaged(err)
		return m, err
	})
	if err != nil {
		return err
	}
	for _, p := range expired { // before their segments
		if err := s.delete(ctx, s.manifestKey(p)); err != nil {
			return err
		}
		done.Manifests++
	}
	if damaged { // perhaps only on its way here, and then its segments are needed
		return nil
	}
	return s.sweep(ctx, needed, now.Add(-snapshot.Grace), done)
}

// sweep deletes segments that are neither needed nor put after young, for as long as the lock is held for sure.
func (s *Store) sweep(ctx context.Context, needed map[string]bool, young time.Time, done *snapshot.Collected) error {
	stored, err := s.segments(ctx)
	if err != nil {
		return err
	}
	end, _ := ctx.Deadline()
	for name, o := range stored {
		if needed[name] || o.LastModified.After(young) {
			continue
		}
		if time.Until(end) < leaseMargin {
			return nil
		}
		if err := s.delete(ctx, o.Key); err != nil {
			return err
		}
		done.Segments++
		done.Bytes += o.Size
	}
	return nil
}
