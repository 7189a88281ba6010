package ops

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/sdk/trace"
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
