package main

import (
	"context"
	"errors"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/cmd/internal/ops"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/localdir"
	"github.com/unecho/unecho/index/snapshot/postgres"
)

// parts is a service and what must be closed after it.
type parts struct {
	service *consumer.Service
	store   snapshot.Store
	ops     *ops.Server // nil if ops.listen is empty
}

// build wires the rooms together. It is the only place that does.
func build(ctx context.Context, c config.Config, embedded bool, logger zerolog.Logger) (*parts, error) {
	kafka, err := broker.Options(c.Kafka, logger)
	if err != nil {
		return nil, err
	}
	store, err := openStore(ctx, c)
	if err != nil {
		return nil, err
	}
	what := setup(c, kafka)
	what.Store, what.Logger, what.ProducerTime = store, logger, embedded
	what.Leases, _ = store.(snapshot.Leaser) // a store may have none
	service, err := consumer.New(what)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	p := &parts{service: service, store: store}
	if c.Ops.Listen != "" {
		p.ops = ops.New(c.Ops.Listen, service.Stats, service.Ready, version(), logger)
	}
	return p, nil
}

// setup is the configuration as the service takes it; store and logger are still to come.
func setup(c config.Config, kafka topic.Options) consumer.Setup {
	return consumer.Setup{
		Kafka: kafka, Params: c.Consumer, Source: c.Source, Document: c.Document, Index: c.Judge,
		Journal: c.Journal, Sink: c.Sink, Snapshot: c.Snapshot, Settings: c.Settings(),
	}
}

// openStore opens the configured store. Both say by themselves what they opened.
func openStore(ctx context.Context, c config.Config) (snapshot.Store, error) {
	if c.Snapshot.Store == snapshot.Postgres {
		store, err := postgres.Open(ctx, c.Snapshot, c.Judge.Index.Name)
		if err != nil {
			return nil, err // not the nil *Store, which is no nil Store
		}
		return store, nil
	}
	store, err := localdir.Open(ctx, c.Snapshot, c.Judge.Index.Name)
	if err != nil {
		return nil, err
	}
	return store, nil
}
