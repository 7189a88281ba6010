package consumer

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/index/snapshot"
)

const (
	// storePatience is how long a restore waits for a store that is away: longer than PostgreSQL is restarted, and short enough
	// for a supervisor.
	storePatience = time.Minute
	// storePause is the time until it is asked again.
	storePause = 200 * time.Millisecond
)

// patient is a store that is asked again while it is away, so that a restore goes on where it was instead of beginning anew.
type patient struct {
	snapshot.Store
	logger zerolog.Logger
	bound  time.Duration
	away   atomic.Bool // and it was said
}

// Manifests implements snapshot.Store.
func (p *patient) Manifests(ctx context.Context) (infos []snapshot.Info, err error) {
	err = p.ask(ctx, func() error { infos, err = p.Store.Manifests(ctx); return err })
	return infos, err
}

// Manifest implements snapshot.Store.
func (p *patient) Manifest(ctx context.Context, at snapshot.Position) (m snapshot.Manifest, err error) {
	err = p.ask(ctx, func() error { m, err = p.Store.Manifest(ctx, at); return err })
	return m, err
}

// Segment implements snapshot.Store.
func (p *patient) Segment(ctx context.Context, name string) (data []byte, err error) {
	err = p.ask(ctx, func() error { data, err = p.Store.Segment(ctx, name); return err })
	return data, err
}

func (p *patient) ask(ctx context.Context, question func() error) error {
	for began := time.Now(); ; {
		err := question()
		if !errors.Is(err, snapshot.ErrAway) {
			if err == nil && p.away.CompareAndSwap(true, false) {
				p.logger.Info().Msg("the snapshot store answers again")
			}
			return err
		}
		if time.Since(began) > p.bound {
			return err
		}
		if p.away.CompareAndSwap(false, true) {
			p.logger.Warn().Err(err).Dur("for_up_to_ms", p.bound).Msg("the snapshot store is away: asking again")
		}
		if err := pause(ctx, storePause); err != nil {
			return err
		}
	}
}
