package ops

import (
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace"
	api "go.opentelemetry.io/otel/trace"
)

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
