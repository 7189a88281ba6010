package objects

import (
	"context"
	"time"

	"github.com/unecho/unecho/index/snapshot"
)

// Collect implements snapshot.Store. Where the lock ends before all is deleted, the next one goes on.
func (s *Store) Collect(ctx context.Context, keep int) (done snapshot.Collected, err error) {
	err = s.Place.Exclusively(ctx, func(ctx context.Context) error { return s.collect(ctx, keep, &done) })
	return done, s.Place.Wrap(err, "collect snapshots")
}

func (s *Store) collect(ctx context.Context, keep int, done *snapshot.Collected) error {
	infos, err := s.infos(ctx, true)
	if err != nil {
		return err
	}
	now, err := s.Place.Now()
	if err != nil {
		return err
	}
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
		if err := s.Place.Delete(ctx, manifestName(p)); err != nil {
			return err
		}
		done.Manifests++
	}
	if damaged && s.OnTheWay {
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
		if needed[name] || o.At.After(young) {
			continue
		}
		if s.Margin > 0 && time.Until(end) < s.Margin {
			return nil
		}
		if err := s.Place.Delete(ctx, o.Name); err != nil {
			return err
		}
		done.Segments++
		done.Bytes += o.Bytes
	}
	return nil
}
