package ops

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/plugin/kotel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	api "go.opentelemetry.io/otel/trace"
)

// Tracer traces the documents that pass the clients of sessions.
type Tracer struct {
	kotel    *kotel.Tracer
	provider *trace.TracerProvider
}

// NewTracer returns a tracer that sends spans to the collector at url. It has goroutines until it is closed.
func NewTracer(url, group, version string, logger zerolog.Logger) *Tracer {
	return newTracer(trace.NewBatchSpanProcessor(newExporter(url, logger)), group, version)
}

func newTracer(to trace.SpanProcessor, group, version string) *Tracer {
	p := trace.NewTracerProvider(
		trace.WithSpanProcessor(to), trace.WithSampler(trace.ParentBased(trace.NeverSample())),
		trace.WithResource(resource.NewSchemaless(attribute.String("service.name", "unecho"),
			attribute.String("service.version", version))),
	)
	return &Tracer{provider: p, kotel: kotel.NewTracer(
		kotel.TracerProvider(p), kotel.TracerPropagator(reader{}), kotel.ConsumerGroup(group), kotel.KeyFormatter(noKey),
	)}
}

// closeTimeout is how long the last spans may take.
const closeTimeout = time.Second

// Close sends what is left.
func (t *Tracer) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	return t.provider.Shutdown(ctx)
}

// Option has a session's client traced.
func (t *Tracer) Option() kgo.Opt { return kgo.WithHooks(hooks{t}) }

// hooks pass to kotel what is sampled. Everything else costs a look at its headers.
type hooks struct{ *Tracer }

// OnFetchRecordBuffered implements kgo.HookFetchRecordBuffered.
func (h hooks) OnFetchRecordBuffered(r *kgo.Record) {
	if sampled(r) {
		h.kotel.OnFetchRecordBuffered(r)
	}
}

// OnFetchRecordUnbuffered implements kgo.HookFetchRecordUnbuffered.
func (h hooks) OnFetchRecordUnbuffered(r *kgo.Record, polled bool) {
	if sampled(r) {
		h.kotel.OnFetchRecordUnbuffered(r, polled)
	}
}

// OnProduceRecordBuffered implements kgo.HookProduceRecordBuffered.
func (h hooks) OnProduceRecordBuffered(r *kgo.Record) {
	if !sampled(r) {
		return
	}
	r.Context = reader{}.Extract(r.Context, kotel.NewRecordCarrier(r))
	h.kotel.OnProduceRecordBuffered(r)
	api.SpanFromContext(r.Context).SetAttributes(verdict(r)...)
}

// OnProduceRecordUnbuffered implements kgo.HookProduceRecordUnbuffered.
func (h hooks) OnProduceRecordUnbuffered(r *kgo.Record, err error) {
	if sampled(r) {
		h.kotel.OnProduceRecordUnbuffered(r, err)
	}
}

// verdict returns what the headers of an output record say, neither ids nor texts.
func verdict(r *kgo.Record) (all []attribute.KeyValue) {
	for _, h := range r.Headers {
		switch h.Key {
		case "unecho-verdict", "unecho-source", "unecho-match", "unecho-similarity", "unecho-method", "unecho-reason":
			all = append(all, attribute.String("unecho."+h.Key[len("unecho-"):], string(h.Value)))
		}
	}
	return all
}

// traceParent is the header of W3C: version, trace, span and flags, as in
// 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.
const traceParent = "traceparent"

// flagsAt is where the two hexadecimal digits of the flags are. The lowest bit says that the trace is sampled.
const flagsAt = 2 + 1 + 32 + 1 + 16 + 1

// sampled says whether a record is part of a trace that is recorded. It looks at the first traceparent, as kotel does.
func sampled(r *kgo.Record) bool {
	for i := range r.Headers {
		if h := &r.Headers[i]; h.Key == traceParent {
			return len(h.Value) >= flagsAt+2 && strings.IndexByte("13579bdf", h.Value[flagsAt+1]) >= 0
		}
	}
	return false
}

// reader takes the trace from the headers, and does not change them: documents are forwarded as they came.
type reader struct{ propagation.TraceContext }

// Inject implements propagation.TextMapPropagator.
func (reader) Inject(context.Context, propagation.TextMapCarrier) {}

var errNoKey = errors.New("keys stay here")

func noKey(*kgo.Record) (string, error) { return "", errNoKey }
