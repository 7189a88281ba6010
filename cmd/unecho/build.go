package main

import (
	"context"
	"io"
	"slices"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/cmd/internal/ops"
	"github.com/unecho/unecho/cmd/internal/snapshots"
	"github.com/unecho/unecho/cmd/internal/tracing"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index/snapshot"
)

// parts is a service and what must be closed after it.
type parts struct {
	service *consumer.Service
	store   snapshot.Store
	ops     *ops.Server     // nil if ops.listen is empty
	tracer  *tracing.Tracer // nil if ops.traces is empty
	tell    io.Writer       // told where the page is; may be nil
}

// build wires the rooms together. It is the only place that does.
func build(ctx context.Context, c config.Config, inProcess bool, logger zerolog.Logger) (*parts, error) {
	return buildWith(ctx, c, inProcess, logger, func(*consumer.Setup) {})
}

// buildWith is build for a service that is more than its configuration.
func buildWith(ctx context.Context, c config.Config, inProcess bool, logger zerolog.Logger,
	more func(*consumer.Setup),
) (*parts, error) {
	kafka, err := broker.Options(c.Kafka, logger)
	if err != nil {
		return nil, err
	}
	store, err := snapshots.Open(ctx, c, false)
	if err != nil {
		return nil, err
	}
	what := setup(c, kafka)
	what.Store, what.Logger, what.ProducerTime = store, logger, inProcess
	what.Leases, _ = store.(snapshot.Leaser) // a store may have none
	var clients *ops.Clients
	if c.Ops.Listen != "" {
		clients = ops.NewClients()
		what.Kafka = append(slices.Clip(what.Kafka), clients.Option())
	}
	p := &parts{store: store}
	if c.Ops.Traces != "" {
		p.tracer = tracing.New(c.Ops.Traces, c.Consumer.Group, version(), logger)
		what.Sessions = append(what.Sessions, p.tracer.Option())
	}
	more(&what)
	if p.service, err = consumer.New(what); err != nil {
		p.close(ctx, logger)
		return nil, err
	}
	if c.Ops.Listen != "" {
		if p.ops, err = operations(p.service, c, clients, logger); err != nil {
			p.close(ctx, logger)
			return nil, err
		}
	}
	return p, nil
}

// close closes what was built.
func (p *parts) close(ctx context.Context, logger zerolog.Logger) {
	if p.tracer != nil {
		if err := p.tracer.Close(ctx); err != nil {
			logger.Warn().Err(err).Msg("the last traces were not sent")
		}
	}
	if err := p.store.Close(); err != nil {
		logger.Warn().Err(err).Msg("snapshot store was not closed cleanly")
	}
}

// setup returns the configuration in the form that the service takes, without store and logger.
func setup(c config.Config, kafka topic.Options) consumer.Setup {
	return consumer.Setup{
		Kafka: kafka, Params: c.Consumer, Source: c.Source, Document: c.Document, Index: c.Judge,
		Journal: c.Journal, Sink: c.Sink, Snapshot: c.Snapshot, Settings: c.Settings(),
	}
}
