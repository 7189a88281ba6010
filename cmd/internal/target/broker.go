package target

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/topic"
)

// partitions is how many partitions a source topic on the embedded broker has.
const partitions = 4

// Broker is the embedded broker of a verb. It is closed by whoever comes first: the verb at its end, or a second
// signal, for a broker that was not closed is not used again.
type Broker struct {
	running atomic.Pointer[broker.Embedded]
}

// Start starts the broker, makes the source topics, and points the configuration at it.
func (o *Broker) Start(ctx context.Context, c *config.Config, dir, listen string, logger zerolog.Logger) error {
	kafka, err := broker.StartEmbedded(ctx, broker.EmbeddedParams{Dir: dir, Listen: listen}, logger)
	if err != nil {
		return err
	}
	o.running.Store(kafka)
	PointAt(c, kafka.Addr())
	opts, err := broker.Options(c.Kafka, logger)
	for _, name := range document.Named(c.Sources) {
		if err == nil {
			err = topic.Create(ctx, opts, name, partitions)
		}
	}
	if err != nil {
		return errors.Join(fmt.Errorf("start embedded broker: %w", err), kafka.Close())
	}
	return nil
}

// Close may be called by several at once, and before the broker is there.
func (o *Broker) Close() error {
	if kafka := o.running.Load(); kafka != nil {
		return kafka.Close()
	}
	return nil
}
