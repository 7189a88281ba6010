package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/unecho/unecho/index/snapshot"
)

const raceRounds = 50

// race: two members write snapshots of the same journal while a third collects, and time passes so fast that no grace
// protects. At any moment, every listed snapshot can be restored.
func race(t *testing.T, b Backing) {
	var writers, others sync.WaitGroup
	var offset atomic.Int64
	done := make(chan struct{})
	rounds := make(chan struct{}, 2*raceRounds)
	for range 2 {
		s := open(t, b)
		writers.Go(func() {
			for range raceRounds {
				rounds <- struct{}{}
				if err := writeOne(t, s, offset.Add(1)); err != nil {
					t.Errorf("write: %v", err)
					return
				}
			}
		})
	}
	until := func(step func(s snapshot.Store) error) {
		s := open(t, b)
		others.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if err := step(s); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	// The collector runs once for each snapshot: in an endless loop it would keep the writers from their lock.
	until(func(s snapshot.Store) error {
		select {
		case <-rounds:
		case <-done:
			return nil
		}
		b.Age(t, snapshot.Grace+1)
		_, err := s.Collect(t.Context(), 2)
		return err
	})
	until(func(s snapshot.Store) error { return restoreAll(t.Context(), s) })
	writers.Wait()
	close(done)
	others.Wait()
	s := open(t, b)
	must(t, restoreAll(t.Context(), s))
	if infos, err := s.Manifests(t.Context()); err != nil || len(infos) == 0 {
		t.Fatalf("in the end there are %d snapshots, %v", len(infos), err)
	}
}

// writeOne writes as a member does: put what is not there, publish, and put again what was collected in between.
func writeOne(t testing.TB, s snapshot.Store, offset int64) error {
	ctx := t.Context()
	m := snapshot.Manifest{Index: Index, Position: at(offset)}
	data := make(map[string][]byte)
	for n := max(0, offset-3); n <= offset; n++ { // neighbours share most of their segments
		segment := snapshot.NewSegment(content(int(n)), 1)
		m.Segments = append(m.Segments, segment)
		data[segment.Name] = content(int(n))
	}
	missing, err := s.HasSegments(ctx, m.Names())
	for err == nil {
		for _, name := range missing {
			if err := s.PutSegment(ctx, name, data[name]); err != nil {
				return err
			}
		}
		err = s.Publish(ctx, m)
		var lacks *snapshot.MissingSegmentsError
		switch {
		case err == nil, errors.Is(err, snapshot.ErrStale):
			return nil
		case errors.As(err, &lacks):
			missing, err = lacks.Names, nil
		}
	}
	return err
}

// restoreAll reads every listed snapshot. One that was collected since the listing is no failure; one that is still
// there and lacks a segment is.
func restoreAll(ctx context.Context, s snapshot.Store) error {
	infos, err := s.Manifests(ctx)
	if err != nil {
		return err
	}
	for _, info := range infos {
		m, err := s.Manifest(ctx, info.Position)
		if errors.Is(err, snapshot.ErrNoManifest) {
			continue
		}
		if err != nil {
			return err
		}
		err = snapshot.FetchSegments(ctx, s, m.Segments, 2, func(int, []byte) error { return nil })
		if err == nil {
			continue
		}
		if _, gone := s.Manifest(ctx, info.Position); !errors.Is(gone, snapshot.ErrNoManifest) {
			return fmt.Errorf("%v is published, but: %w", info.Position, err)
		}
	}
	return nil
}
