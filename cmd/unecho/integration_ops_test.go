package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/twmb/franz-go/pkg/kgo"
)

// What a process at work shows of itself: the figures of each room, what its Kafka clients do, and its profiles. The
// level of its log can be changed.
func TestOpsOfAProcess(t *testing.T) {
	t.Parallel()
	s := newScene(t, 2)
	ops := freeAddress(t)
	s.configure(s.inDirectory(), s.consumer(""), "http: {listen: '"+ops+"'}")
	p := s.run("--pprof")
	s.produce(200, 1)
	s.settled()
	lag := `unecho_source_partition_lag_seconds{partition="1",topic="` + s.source + `"}`
	s.until("lags are shown", func(ctx context.Context) bool { return metric(ctx, t, ops, lag) == 0 })
	s.until("all are counted", func(
		ctx context.Context,
	) bool {
		return metric(ctx, t, ops, "unecho_commit_delay_seconds_count") == 200
	})
	var documents float64
	for _, verdict := range []string{"unique", "duplicate", "rejected"} {
		documents += metric(s.bounded(), t, ops, `unecho_documents_total{topic="`+s.source+`",verdict="`+verdict+`"}`)
	}
	if got := metric(s.bounded(), t, ops, "unecho_commit_delay_seconds_count"); documents != 200 || got != 200 {
		t.Errorf("%v documents, and the delays of %v", documents, got)
	}
	for _, name := range []string{
		`unecho_kafka_fetch_compressed_bytes_total{topic="` + s.source + `"}`,
		`unecho_kafka_produce_compressed_bytes_total{topic="` + s.source + `.unique"}`,
		`unecho_kafka_write_bytes_total{node_id="1"}`, "unecho_journal_start_timestamp_seconds",
		"unecho_journal_kept_records",
	} {
		if got := metric(s.bounded(), t, ops, name); got <= 0 {
			t.Errorf("%s is %v", name, got)
		}
	}
	_, page := s.asked(http.MethodGet, ops, "/metrics", "")
	problems, err := promlint.New(strings.NewReader(page)).Lint()
	check(t, err)
	for _, p := range problems {
		t.Errorf("promlint says of %s: %s; want no problem", p.Metric, p.Text)
	}
	if code, _ := s.asked(http.MethodGet, ops, "/debug/pprof/heap", ""); code != http.StatusOK {
		t.Errorf("profiles: %d", code)
	}
	if strings.Contains(p.log.String(), `"level":"debug"`) {
		t.Error("it logs at debug from the start")
	}
	if code, said := s.asked(http.MethodPut, ops, "/log/level", "debug"); code != http.StatusOK || said != "debug\n" {
		t.Errorf("the level: %d %q", code, said)
	}
	p.says(`"from":"info","to":"debug"`)
	s.produce(20, 2)
	p.says(`"level":"debug"`)
	stopAll(t, startBound, p)
}

// ask returns what a process answers.
func ask(ctx context.Context, method, ops, path, body string) (code int, said string, err error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+ops+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), err
}

// asked is ask of a process that must answer.
func (s *scene) asked(method, ops, path, body string) (code int, said string) {
	s.t.Helper()
	code, said, err := ask(s.bounded(), method, ops, path, body)
	check(s.t, err)
	return code, said
}

// A document that is part of a sampled trace has spans at the collector, and comes out as it came.
func TestTracesOfAProcess(t *testing.T) {
	t.Parallel()
	s := newScene(t, 2)
	var mu sync.Mutex
	var sent strings.Builder
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		_, err := io.Copy(&sent, r.Body)
		check(t, err)
	}))
	defer collector.Close()
	s.configure(s.inDirectory(), s.consumer(""), noOps)
	p := startProgram(t, s.dir, "env", "OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL, "unecho", "run", "--config", s.file)
	s.all = append(s.all, p)
	p.says(`"ready"`) // a partition that still moves is read twice, and both are traced
	const trace = "0af7651916cd43dd8448eb211c80319c"
	s.send(&kgo.Record{
		Topic: s.source, Value: []byte("the harbour bridge was closed on monday"),
		Headers: []kgo.RecordHeader{
			{Key: "traceparent", Value: []byte("00-" + trace + "-b7ad6b7169203331-01")},
		},
	})
	s.produce(50, 1)
	s.settled()
	stopAll(t, startBound, p)
	mu.Lock()
	defer mu.Unlock()
	for what, n := range map[string]int{
		`"traceId":"`: 2, `"traceId":"` + trace + `"`: 2, `"parentSpanId":"b7ad6b7169203331"`: 2,
		`"name":"` + s.source + ` receive"`: 1, `"name":"` + s.source + `.unique publish"`: 1,
		`{"key":"unecho.verdict","value":{"stringValue":"unique"}}`: 1,
	} {
		if got := strings.Count(sent.String(), what); got != n {
			t.Errorf("%s is sent %d times, want %d, in %s", what, got, n, sent.String())
		}
	}
	s.audited(s.name + ".journal")
}
