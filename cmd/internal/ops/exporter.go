package ops

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace"
	api "go.opentelemetry.io/otel/trace"
)

// Collector returns the address to which traces are sent, as the standard variables of OpenTelemetry name it, or nothing.
func Collector(getenv func(string) string) string {
	if url := getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"); url != "" {
		return url
	}
	if base := getenv("OTEL_EXPORTER_OTLP_ENDPOINT"); base != "" {
		return strings.TrimSuffix(base, "/") + "/v1/traces"
	}
	return ""
}

// exporter posts spans to a collector. A failure is logged once, until it works again; the spans are lost.
type exporter struct {
	url     string
	client  *http.Client
	logger  zerolog.Logger
	failing bool // ExportSpans is called by one goroutine at a time
}

// exportTimeout is how long a collector may take for one request.
const exportTimeout = 5 * time.Second

func newExporter(url string, logger zerolog.Logger) *exporter {
	return &exporter{url: url, client: &http.Client{Timeout: exportTimeout}, logger: logger}
}

// ExportSpans implements trace.SpanExporter. It returns no error: the library would print it.
func (e *exporter) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	err := e.post(ctx, spans)
	switch {
	case err != nil && !e.failing:
		e.logger.Warn().Err(err).Msg(
			"traces cannot be sent to the collector: spans are lost until it works, the stream does not depend on it")
	case err == nil && e.failing:
		e.logger.Info().Msg("traces are sent again")
	}
	e.failing = err != nil
	return nil
}

// Shutdown implements trace.SpanExporter.
func (e *exporter) Shutdown(context.Context) error {
	e.client.CloseIdleConnections()
	return nil
}

func (e *exporter) post(ctx context.Context, spans []trace.ReadOnlySpan) error {
	body, err := json.Marshal(requestOf(spans))
	if err != nil {
		return fmt.Errorf("encode spans: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := e.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection can be used again
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answers %s", resp.Status)
	}
	return nil
}

// These are the messages of OTLP 1 as JSON, as far as our spans need them. Ids are hexadecimal, 64-bit integers are
// strings, and enumerations are numbers: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding.
type (
	request struct {
		ResourceSpans []resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		Resource   resourceJSON `json:"resource"`
		ScopeSpans []scopeSpans `json:"scopeSpans"`
	}
	resourceJSON struct {
		Attributes []keyValue `json:"attributes"`
	}
	scopeSpans struct {
		Scope scope      `json:"scope"`
		Spans []spanJSON `json:"spans"`
	}
	scope struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	}
	spanJSON struct {
		TraceID    string      `json:"traceId"`
		SpanID     string      `json:"spanId"`
		TraceState string      `json:"traceState,omitempty"`
		ParentID   string      `json:"parentSpanId,omitempty"`
		Name       string      `json:"name"`
		Kind       int         `json:"kind"`
		Start      string      `json:"startTimeUnixNano"`
		End        string      `json:"endTimeUnixNano"`
		Attributes []keyValue  `json:"attributes,omitempty"`
		Status     *statusJSON `json:"status,omitempty"`
	}
	statusJSON struct {
		Message string `json:"message,omitempty"`
		Code    int    `json:"code"`
	}
	keyValue struct {
		Key   string         `json:"key"`
		Value map[string]any `json:"value"`
	}
)

// requestOf puts the spans of one process, all by one library, into a request.
func requestOf(spans []trace.ReadOnlySpan) request {
	if len(spans) == 0 {
		return request{}
	}
	by := spans[0].InstrumentationScope()
	all := scopeSpans{Scope: scope{Name: by.Name, Version: by.Version}}
	for _, s := range spans {
		all.Spans = append(all.Spans, spanOf(s))
	}
	return request{[]resourceSpans{{
		Resource: resourceJSON{Attributes: attributes(spans[0].Resource().Attributes())}, ScopeSpans: []scopeSpans{all},
	}}}
}

func spanOf(s trace.ReadOnlySpan) spanJSON {
	at := s.SpanContext()
	out := spanJSON{
		TraceID: at.TraceID().String(), SpanID: at.SpanID().String(), TraceState: at.TraceState().String(),
		Name: s.Name(), Kind: kind(s.SpanKind()), Start: nanos(s.StartTime()), End: nanos(s.EndTime()),
		Attributes: attributes(s.Attributes()),
	}
	if s.Parent().SpanID().IsValid() {
		out.ParentID = s.Parent().SpanID().String()
	}
	if status := s.Status(); status.Code == codes.Error {
		out.Status = &statusJSON{Message: status.Description, Code: statusError}
	}
	return out
}

// Numbers of OTLP.
const (
	kindInternal = 1
	kindProducer = 4
	kindConsumer = 5
	statusError  = 2
)

func kind(k api.SpanKind) int {
	switch k { //nolint:exhaustive // kotel makes no others
	case api.SpanKindProducer:
		return kindProducer
	case api.SpanKindConsumer:
		return kindConsumer
	}
	return kindInternal
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

func attributes(of []attribute.KeyValue) (all []keyValue) {
	for _, a := range of {
		all = append(all, keyValue{Key: string(a.Key), Value: value(a.Value)})
	}
	return all
}

func value(v attribute.Value) map[string]any {
	switch v.Type() { //nolint:exhaustive // others are written as text
	case attribute.INT64:
		return map[string]any{"intValue": strconv.FormatInt(v.AsInt64(), 10)}
	case attribute.BOOL:
		return map[string]any{"boolValue": v.AsBool()}
	}
	return map[string]any{"stringValue": v.String()}
}
