package ops

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.opentelemetry.io/otel/sdk/trace"
)

const (
	traceID = "0af7651916cd43dd8448eb211c80319c"
	parent  = "b7ad6b7169203331"
)

// collector answers with a status, and keeps what it was sent.
type spanCollector struct {
	*httptest.Server
	status int
	bodies []string
}

func newSpanCollector(t *testing.T) *spanCollector {
	c := &spanCollector{status: 200}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("the collector gets a %s with the headers %v, error %v; want a POST of application/json", r.Method, r.Header, err)
		}
		c.bodies = append(c.bodies, string(body))
		w.WriteHeader(c.status)
	}))
	t.Cleanup(c.Close)
	return c
}

// spans decodes a request as a collector does: strictly.
func spans(t *testing.T, body string) request {
	t.Helper()
	var r request
	d := json.NewDecoder(strings.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return r
}

func (s *spanJSON) text(key string) string {
	i := slices.IndexFunc(s.Attributes, func(a keyValue) bool { return a.Key == key })
	if i < 0 {
		return ""
	}
	for _, v := range s.Attributes[i].Value {
		if text, ok := v.(string); ok {
			return text
		}
	}
	return ""
}

// A document of a sampled trace has a span for each of its two ways, both under its producer's. Others have none, and
// no document is changed.
func TestDocumentsJoinTheirTraces(t *testing.T) {
	c := newSpanCollector(t)
	tracer := newTracer(trace.NewSimpleSpanProcessor(newExporter(c.URL, zerolog.Nop())), "news-filter", "v1.2.3")
	h := hooks{tracer}
	for _, header := range []string{
		"", "00-" + traceID + "-" + parent + "-00", "00-" + traceID + "-" + parent, "00-" + traceID, "nonsense",
		"00-00000000000000000000000000000000-" + parent + "-01",
	} {
		pass(h, header, nil)
	}
	if len(c.bodies) != 0 {
		t.Fatalf("documents without a sampled trace have spans: %s", c.bodies)
	}
	in, out := pass(h, "00-"+traceID+"-"+parent+"-01", nil)
	if len(in.Headers) != 1 || string(in.Headers[0].Value) != "00-"+traceID+"-"+parent+"-01" ||
		string(out.Headers[0].Value) != string(in.Headers[0].Value) || len(out.Headers) != 4 {
		t.Errorf("the headers are changed: %v, %v", in.Headers, out.Headers)
	}
	if len(c.bodies) != 2 {
		t.Fatalf("%d spans", len(c.bodies))
	}
	for i, want := range []struct {
		name, verdict string
		kind          int
	}{{"news receive", "", kindConsumer}, {"news.unique publish", "unique", kindProducer}} {
		r := spans(t, c.bodies[i])
		s := r.ResourceSpans[0].ScopeSpans[0].Spans[0]
		if s.TraceID != traceID || s.ParentID != parent || len(s.SpanID) != 16 || s.SpanID == parent {
			t.Errorf("it is %s of %s under %s", s.SpanID, s.TraceID, s.ParentID)
		}
		if s.Name != want.name || s.Kind != want.kind || s.text("unecho.verdict") != want.verdict || s.Status != nil {
			t.Errorf("%+v, want %+v", s, want)
		}
		if len(s.Start) != 19 || len(s.End) != 19 || s.Start > s.End {
			t.Errorf("from %s to %s", s.Start, s.End)
		}
		if strings.Contains(c.bodies[i], "a secret key") || strings.Contains(c.bodies[i], "a name") {
			t.Errorf("it tells too much: %s", c.bodies[i])
		}
		if !strings.Contains(c.bodies[i], `{"key":"service.name","value":{"stringValue":"unecho"}}`) {
			t.Errorf("it does not say whose it is: %s", c.bodies[i])
		}
	}
	pass(h, "00-"+traceID+"-"+parent+"-01", errors.New("it was refused"))
	last := spans(t, c.bodies[len(c.bodies)-1]).ResourceSpans[0].ScopeSpans[0].Spans[0]
	if last.Status == nil || last.Status.Code != statusError || last.Status.Message != "it was refused" {
		t.Errorf("the status of a publish that was refused is %+v; want code %d, it was refused", last.Status, statusError)
	}
	if err := tracer.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// pass takes a document through the hooks, as clients do.
func pass(h hooks, header string, err error) (in, out *kgo.Record) {
	in = &kgo.Record{Topic: "news", Partition: 3, Offset: 7, Key: []byte("a secret key")}
	if header != "" {
		in.Headers = []kgo.RecordHeader{{Key: "traceparent", Value: []byte(header)}}
	}
	h.OnFetchRecordBuffered(in)
	h.OnFetchRecordUnbuffered(in, true)
	out = &kgo.Record{Topic: "news.unique", Key: in.Key, Context: context.Background()}
	out.Headers = append(slices.Clone(in.Headers), kgo.RecordHeader{Key: "unecho-verdict", Value: []byte("unique")},
		kgo.RecordHeader{Key: "unecho-source", Value: []byte("news/3/7")},
		kgo.RecordHeader{Key: "unecho-match-id", Value: []byte("a name")})
	h.OnProduceRecordBuffered(out)
	h.OnProduceRecordUnbuffered(out, err)
	return in, out
}

// A collector that is away is told of once, and so is its return.
func TestCollectorIsAway(t *testing.T) {
	c := newSpanCollector(t)
	var log bytes.Buffer
	e := newExporter(c.URL, zerolog.New(&log))
	for _, step := range []struct {
		status int
		logs   string
	}{{200, ""}, {503, "503"}, {500, ""}, {200, "sent again"}, {202, ""}} {
		c.status = step.status
		log.Reset()
		if err := e.ExportSpans(t.Context(), nil); err != nil {
			t.Error(err)
		}
		if got := log.String(); !strings.Contains(got, step.logs) || (step.logs == "") != (got == "") {
			t.Errorf("at %d: %s", step.status, got)
		}
	}
	c.Close()
	log.Reset()
	if _ = e.ExportSpans(t.Context(), nil); !strings.Contains(log.String(), "refused") {
		t.Errorf("when the collector is gone, the log says %q; want that the connection is refused", log.String())
	}
	if err := e.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// Closing sends what waits, and does not wait for a collector that hangs.
func TestClose(t *testing.T) {
	c := newSpanCollector(t)
	tracer := NewTracer(c.URL, "g", "v", zerolog.Nop())
	pass(hooks{tracer}, "00-"+traceID+"-"+parent+"-01", nil)
	if err := tracer.Close(context.Background()); err != nil || len(c.bodies) != 1 {
		t.Errorf("%v, %d requests", err, len(c.bodies))
	}
	hang := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	defer hanging.Close()
	defer close(hang)
	tracer = NewTracer(hanging.URL, "g", "v", zerolog.Nop())
	pass(hooks{tracer}, "00-"+traceID+"-"+parent+"-01", nil)
	began := time.Now()
	_ = tracer.Close(context.Background())
	if took := time.Since(began); took > exportTimeout {
		t.Errorf("it took %v", took)
	}
}

// A document that is not traced costs a look at its headers.
func TestUntracedCostsNothing(t *testing.T) {
	h := hooks{newTracer(trace.NewSimpleSpanProcessor(newExporter("http://127.0.0.1:1", zerolog.Nop())), "g", "v")}
	r := &kgo.Record{Headers: []kgo.RecordHeader{
		{Key: "lang"},
		{Key: "traceparent", Value: []byte("00-" + traceID + "-" + parent + "-00")},
	}}
	if n := testing.AllocsPerRun(100, func() {
		h.OnFetchRecordBuffered(r)
		h.OnFetchRecordUnbuffered(r, true)
		h.OnProduceRecordBuffered(r)
		h.OnProduceRecordUnbuffered(r, nil)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// The endpoint for traces is taken as it is, and the one for all signals is the base of it.
func TestCollectorOfTheEnvironment(t *testing.T) {
	const traces, all = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"
	for _, c := range []struct {
		environ map[string]string
		want    string
	}{
		{nil, ""},
		{map[string]string{all: "http://otel:4318"}, "http://otel:4318/v1/traces"},
		{map[string]string{all: "https://otel/in/"}, "https://otel/in/v1/traces"},
		{map[string]string{all: "http://otel:4318", traces: "http://near:4318/spans"}, "http://near:4318/spans"},
	} {
		if got := Collector(func(name string) string { return c.environ[name] }); got != c.want {
			t.Errorf("Collector of %v gives %q; want %q", c.environ, got, c.want)
		}
	}
}
