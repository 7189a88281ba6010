package member

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/index/snapshot"
)

const (
	// storePatience is how long a restore waits for a store that is away: longer than PostgreSQL is restarted, and short
	// enough for a supervisor.
	storePatience = time.Minute
	// storePause is the time until it is asked again.
	storePause = 200 * time.Millisecond
)

// waitingStore is a store that is asked again while it is away, so that a restore goes on where it was instead of
// beginning anew.
type waitingStore struct {
	snapshot.Store
	logger zerolog.Logger
	bound  time.Duration
	away   atomic.Bool // and it was said
}

// Manifests implements snapshot.Store.
func (p *waitingStore) Manifests(ctx context.Context) (infos []snapshot.Info, err error) {
	err = p.ask(ctx, func() error { infos, err = p.Store.Manifests(ctx); return err })
	return infos, err
}

// Manifest implements snapshot.Store.
func (p *waitingStore) Manifest(ctx context.Context, at snapshot.Position) (m snapshot.Manifest, err error) {
	err = p.ask(ctx, func() error { m, err = p.Store.Manifest(ctx, at); return err })
	return m, err
}

// Segment implements snapshot.Store.
func (p *waitingStore) Segment(ctx context.Context, name string) (data []byte, err error) {
	err = p.ask(ctx, func() error { data, err = p.Store.Segment(ctx, name); return err })
	return data, err
}

func (p *waitingStore) ask(ctx context.Context, question func() error) error {
	err := retry.While(ctx, storePause, question, func(err error, since time.Duration) bool {
		if !errors.Is(err, snapshot.ErrAway) || since > p.bound {
			return false
		}
		if p.away.CompareAndSwap(false, true) {
			p.logger.Warn().Err(err).Dur("for_up_to_ms", p.bound).Msg("the snapshot store is away: asking again")
		}
		return true
	})
	if ctx.Err() != nil && errors.Is(err, snapshot.ErrAway) {
		return context.Cause(ctx) // it is not given up: nobody asks any more
	}
	if err == nil && p.away.CompareAndSwap(true, false) {
		p.logger.Info().Msg("the snapshot store answers again")
	}
	return err
}
