package assembly

import (
	"context"
	"io"
	"os"
	"slices"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/cmd/internal/memory"
	"github.com/unecho/unecho/cmd/internal/ops"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/gateway"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index/snapshot"
)

// Params say what is built.
type Params struct {
	Config   config.Config
	Version  string // of the program
	Logger   zerolog.Logger
	Profiles bool // are served
	Accepted consumer.Accepted
	More     func(*consumer.Setup) // makes the service more than its configuration; may be nil
}

// Logger returns the logger of a service, whose level can be changed where there is something to ask.
func Logger(w io.Writer, c config.Config) (zerolog.Logger, error) {
	logger, err := terminal.NewLogger(w, c.Log)
	if err == nil && c.HTTP.Listen != "" {
		logger = ops.Adjustable(logger)
	}
	return logger, err
}

// Parts are a service and what must be closed after it.
type Parts struct {
	config  config.Config
	service *consumer.Service
	store   snapshot.Store
	ops     *ops.Server      // nil if http.listen is empty
	gateway *gateway.Gateway // nil if no documents are taken
	tracer  *ops.Tracer      // nil if no variable names a collector
}

// Build wires the rooms together. It is the only place that does.
func Build(ctx context.Context, p Params) (*Parts, error) {
	c, logger := p.Config, p.Logger
	unwise(logger, "schema_registry", c.Registry.Warnings())
	kafka, err := broker.Options(c.Kafka, logger)
	if err != nil {
		return nil, err
	}
	store, err := c.Snapshot.Opener().Open(ctx, c.Consumer.Group)
	if err != nil {
		return nil, err
	}
	what := Setup(c, kafka)
	what.Store, what.Logger, what.Accepted = store, logger, p.Accepted
	what.Leases, _ = store.(snapshot.Leaser) // a store may have none
	var clients *ops.Clients
	if c.HTTP.Listen != "" {
		clients = ops.NewClients()
		what.Kafka = append(slices.Clip(what.Kafka), clients.Option())
	}
	built := &Parts{config: c, store: store}
	if url := ops.Collector(os.Getenv); url != "" {
		built.tracer = ops.NewTracer(url, c.Consumer.Group, p.Version, logger)
		what.Sessions = append(what.Sessions, built.tracer.Option())
	}
	if p.More != nil {
		p.More(&what)
	}
	if built.service, err = consumer.New(what); err != nil {
		built.close(ctx, logger)
		return nil, err
	}
	if c.HTTP.Takes() {
		if built.gateway, err = built.service.Gateway(); err != nil {
			built.close(ctx, logger)
			return nil, err
		}
	}
	if c.HTTP.Listen != "" {
		if built.ops, err = operations(built.service, p, clients, built.gateway); err != nil {
			built.close(ctx, logger)
			return nil, err
		}
	}
	return built, nil
}

// close closes what was built.
func (p *Parts) close(ctx context.Context, logger zerolog.Logger) {
	if p.gateway != nil {
		p.gateway.Close()
	}
	if p.tracer != nil {
		if err := p.tracer.Close(ctx); err != nil {
			logger.Warn().Err(err).Msg("the last traces were not sent")
		}
	}
	if err := p.store.Close(); err != nil {
		logger.Warn().Err(err).Msg("snapshot store was not closed cleanly")
	}
}

// Setup returns the configuration in the form that the service takes, without store and logger.
func Setup(c config.Config, kafka topic.Options) consumer.Setup {
	return consumer.Setup{
		Kafka: kafka, Params: c.Consumer, Sources: c.Readings(), Index: c.Judge,
		Journal: c.Journal, Sink: c.Sink, Snapshot: c.Snapshot.Params(), Settings: c.Settings(),
	}
}

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
