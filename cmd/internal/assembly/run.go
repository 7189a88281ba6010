package assembly

import (
	"context"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/cmd/internal/memory"
	"github.com/unecho/unecho/cmd/internal/ops"
	"github.com/unecho/unecho/consumer"
)

// StandingEvery is how often the log says how a service stands.
const StandingEvery = time.Minute

// Backfill returns how far the service is with its range.
func (p *Parts) Backfill() consumer.Progress { return p.service.Backfill() }

// Ready says whether the service is ready.
func (p *Parts) Ready() bool { return p.service.Ready() }

// Page returns the address of the page, and waits until it is served. It is empty if none is.
func (p *Parts) Page() string {
	if p.ops == nil {
		return ""
	}
	return p.ops.URL()
}

// Run serves until ctx is done, then closes what Build opened. Every so often it says how the service stands.
func (p *Parts) Run(ctx context.Context, every time.Duration, logger zerolog.Logger) error {
	group, inner := errgroup.WithContext(ctx)
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	if p.ops != nil {
		group.Go(func() error { return p.ops.Serve(serving) })
	}
	group.Go(func() error {
		memory.BoundGarbage(serving, p.config, p.service.Stats)
		return nil
	})
	group.Go(func() error {
		ops.LogStanding(serving, every, p.service.Stats, logger)
		return nil
	})
	group.Go(func() error {
		defer stop()
		return p.service.Run(inner)
	})
	err := group.Wait()
	stop()
	p.close(ctx, logger)
	return err
}
