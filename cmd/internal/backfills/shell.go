package backfills

import (
	"context"
	"io"
	"time"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/topic"
)

// Shell is the program around a backfill: it reads the configuration and wires the rooms together.
type Shell struct {
	Out, Err io.Writer
	Read     Reader
	Logger   func(config.Config) (zerolog.Logger, error)
	Embedded func(config.Config) (bool, error) // says whether the broker is an embedded one, which stamps no time
	Setup    func(config.Config, topic.Options) consumer.Setup
	Build    func(ctx context.Context, c config.Config, embedded bool, logger zerolog.Logger,
		more func(*consumer.Setup)) (Service, error)
}

// Service is one that was built.
type Service interface {
	Backfill() consumer.Progress
	// Run serves until ctx is done or the range ends, and closes the service. Every so often it logs how the service
	// stands.
	Run(ctx context.Context, every time.Duration, logger zerolog.Logger) error
}
