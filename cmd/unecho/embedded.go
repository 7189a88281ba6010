package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/topic"
)

// embeddedDir is where a service on an embedded broker keeps everything, if nothing else is said.
const embeddedDir = "unecho-data"

// embeddedTopic is the source topic where nothing else is configured.
const embeddedTopic = "documents"

func embeddedDefaults(c config.Config, dir string) config.Config {
	c.Kafka.Brokers = []string{"127.0.0.1:1"} // the real one is known when it listens
	c.Source.Topics = []string{embeddedTopic}
	c.Snapshot.Directory = filepath.Join(dir, "snapshots")
	return c
}

// openBroker is the embedded broker of a verb. It is closed by whoever comes first: the verb at its end, or a second
// signal, for a broker that was not closed is not used again.
type openBroker struct {
	running atomic.Pointer[broker.Embedded]
}

// start starts the broker, makes the source topics, and points the configuration at it.
func (o *openBroker) start(ctx context.Context, c *config.Config, dir, listen string, logger zerolog.Logger) error {
	kafka, err := broker.StartEmbedded(ctx, broker.EmbeddedParams{Dir: dir, Listen: listen}, logger)
	if err != nil {
		return err
	}
	o.running.Store(kafka)
	c.Kafka = broker.DefaultParams()
	c.Kafka.Brokers = []string{kafka.Addr()}
	opts, err := broker.Options(c.Kafka, logger)
	for _, name := range c.Source.Topics {
		if err == nil {
			err = topic.Create(ctx, opts, name, embeddedPartitions)
		}
	}
	if err != nil {
		return errors.Join(fmt.Errorf("start embedded broker: %w", err), kafka.Close())
	}
	return nil
}

// close may be called by several at once, and before the broker is there.
func (o *openBroker) close() error {
	if kafka := o.running.Load(); kafka != nil {
		return kafka.Close()
	}
	return nil
}

// embeddedPartitions is how many partitions a source topic on the embedded broker has.
const embeddedPartitions = 4
