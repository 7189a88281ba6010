package api

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/gateway"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/sink"
)

// fakeGateway takes what comes, and answers as it is told.
type fakeGateway struct {
	came   []gateway.Document
	waited time.Duration
	answer func(d *gateway.Document) gateway.Answer
	silent gateway.NotForwarding
	told   []gateway.Outcome
}

func (f *fakeGateway) Answered(what gateway.Outcome) { f.told = append(f.told, what) }

func (f *fakeGateway) NotForwarding() gateway.NotForwarding { return f.silent }

func (f *fakeGateway) Send(_ context.Context, docs []gateway.Document, wait time.Duration) (all []gateway.Answer) {
	f.came, f.waited = docs, wait
	for i := range docs {
		a := gateway.Answer{Topic: docs[i].Topic, Partition: 2, Offset: int64(i)}
		if f.answer != nil {
			a = f.answer(&docs[i])
		}
		all = append(all, a)
	}
	return all
}

// sends serves an API that takes documents.
func sends(t *testing.T, to *fakeGateway, change func(*Setup)) *described {
	t.Helper()
	f := newFake(t)
	f.stats.Params = index.DefaultParams()
	f.stats.Params.Duplicates.Remember.Keys = time.Hour
	return serve(t, f, func(s *Setup) {
		s.Access = Access{Token: func() string { return token }}
		s.Gateway, s.Topics, s.MaxDocument, s.Limits.DocumentsPerS = to, []string{"news", "more"}, 1000, 1000
		if change != nil {
			change(s)
		}
	})
}

func (d *described) send(query, body string, headers ...string) (int, map[string]any, string) {
	d.t.Helper()
	return d.ask(http.MethodPost, "/api/v1/documents"+query, body, append(headers, "Authorization", "Bearer "+token)...)
}

func packed(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.String()
}

// The documents of each kind of body come as they are.
func TestSendBodies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, coding, body, want string }{
		{"application/json", "", `{ "text": "a" }`, `{ "text": "a" }`},
		{"application/json", "", ` [{"text":"a"}, { "text" : "b" },"c"]`, `{"text":"a"}|{ "text" : "b" }|"c"`},
		{"application/x-ndjson", "", "{\"a\":1}\r\n\n {\"a\":2}", `{"a":1}|{"a":2}`},
		{"text/plain; charset=utf-8", "", "[a text\n", "[a text\n"},
		{"application/octet-stream", "gzip", packed("\x00\x01"), "\x00\x01"},
		{"application/json", "gzip", packed(`[1,2]`), "1|2"},
	} {
		to := &fakeGateway{}
		d := sends(t, to, nil)
		code, got, _ := d.send("", c.body, "Content-Type", c.kind, "Content-Encoding", c.coding)
		var came []string
		for _, doc := range to.came {
			came = append(came, string(doc.Value))
		}
		if code != http.StatusAccepted || strings.Join(came, "|") != c.want || len(to.came) != len(got["documents"].([]any)) {
			t.Errorf("%s %q: %d %v, came %q", c.kind, c.body, code, got, came)
		}
	}
}

func TestSendRefuses(t *testing.T) {
	t.Parallel()
	d := sends(t, &fakeGateway{}, nil)
	for _, c := range []struct {
		query, body string
		headers     []string
		code        int
	}{
		{"", `{`, nil, 400},
		{"", `{} {}`, nil, 400},
		{"", `[]`, nil, 400},
		{"", "{}\nx", []string{"Content-Type", "application/x-ndjson"}, 400},
		{"", `{}`, []string{"Content-Type", "application/x-www-form-urlencoded"}, 415},
		{"", `{}`, []string{"Content-Encoding", "br"}, 415},
		{"", `{}`, []string{"Content-Encoding", "gzip"}, 400},
		{"", packed(strings.Repeat(" ", maxBody+1)), []string{"Content-Encoding", "gzip"}, 413},
		{"", strings.Repeat(" ", maxBody+1), nil, 413},
		{"", `"` + strings.Repeat("a", 1000) + `"`, nil, 413},
		{"", "[" + strings.Repeat("1,", maxDocuments) + "1]", nil, 400},
		{"?topic=other", `{}`, nil, 400},
		{"?wait=1", `{}`, nil, 400},
		{"?wait=verdict&timeout=1h", `{}`, nil, 400},
		{"?wait=verdict&timeout=-1s", `{}`, nil, 400},
		{"?key=" + strings.Repeat("k", maxRecordKey+1), `{}`, nil, 400},
		{"", `{}`, []string{"Idempotency-Key", strings.Repeat("k", maxIdempotency+1)}, 400},
		{"", `{}`, []string{"Idempotency-Key", "a b"}, 400},
		{"", `{}`, []string{"Idempotency-Key", ""}, 400},
		{"", `{}`, []string{"Idempotency-Key", `""`}, 400},
		{"", `{}`, []string{"Idempotency-Key", "\xff"}, 400},
	} {
		if code, got, _ := d.send(c.query, c.body, c.headers...); code != c.code || at(got, "error") == "" || at(got, "remedy") == "" {
			t.Errorf("%s %.30q %q: %d %v, want %d", c.query, c.body, c.headers, code, got, c.code)
		}
	}
	if code, _, _ := d.ask(http.MethodPost, "/api/v1/documents", `{}`); code != 401 {
		t.Errorf("without a token: %d", code)
	}
}

// Documents are taken only where there is a token and a gateway, and keys only where they are remembered.
func TestSendIsClosed(t *testing.T) {
	t.Parallel()
	if code, _, _ := sends(t, nil, func(s *Setup) { s.Gateway = nil }).send("", `{}`); code != 403 {
		t.Errorf("without a gateway: %d", code)
	}
	if code, _, _ := sends(t, &fakeGateway{}, func(s *Setup) { s.Access = Access{Loopback: true} }).send("", `{}`); code != 403 {
		t.Errorf("without a token: %d", code)
	}
	d := sends(t, &fakeGateway{}, func(s *Setup) { s.Service.(*fake).stats.Params.Duplicates.Remember.Keys = 0 })
	for query, want := range map[string]int{"": 202, "?wait=verdict": 409} {
		if code, _, _ := d.send(query, `{}`); code != want {
			t.Errorf("%s where nothing is remembered: %d", query, code)
		}
	}
	if code, _, _ := d.send("", `{}`, "Idempotency-Key", "a"); code != 409 {
		t.Errorf("a key where none is remembered: %d", code)
	}
}

// The key is that of the request and the number of the document. A request that waits has one in any case.
func TestSendKeys(t *testing.T) {
	t.Parallel()
	to := &fakeGateway{}
	d := sends(t, to, nil)
	for _, key := range []string{"k-1", `"k-1"`} {
		d.send("?topic=more&key=r", `[1,2]`, "Idempotency-Key", key)
		if k := to.came[1]; k.IdempotencyKey != "k-1/1" || string(k.Key) != "r" || k.Topic != "more" || to.waited != 0 {
			t.Errorf("with the Idempotency-Key %s the second document is %+v, and its wait %v; want the idempotency key k-1/1, the key r, "+
				"the topic more, and no wait", key, k, to.waited)
		}
	}
	d.send("", `1`)
	if k := to.came[0].IdempotencyKey; k != "" {
		t.Errorf("it has the key %q", k)
	}
	d.send("?wait=verdict&timeout=2s", `1`)
	first := to.came[0].IdempotencyKey
	d.send("?wait=verdict", `1`)
	if second := to.came[0].IdempotencyKey; len(first) < 20 || first == second || to.waited != defaultWait {
		t.Errorf("keys %q and %q", first, second)
	}
}

func TestSendAnswers(t *testing.T) {
	t.Parallel()
	match := &index.Match{Topic: "news", Offset: 7, Method: compare.Jaccard, Similarity: compare.Similarity{Num: 9, Den: 10}, Copy: 2}
	for _, c := range []struct {
		answer gateway.Answer
		wait   string
		code   int
		want   string
		after  string
	}{
		{gateway.Answer{Topic: "news", Offset: 3}, "", 202, "map[offset:3 partition:0 topic:news]", ""},
		{gateway.Answer{Topic: "news", Offset: 3}, "?wait=verdict", 202, "map[offset:3 partition:0 topic:news]", "1"},
		{gateway.Answer{Topic: "news", Verdict: sink.Unique, Repeated: true}, "?wait=verdict", 200, "map[offset:0 partition:0 repeated:true topic:news verdict:unique]", ""},
		{gateway.Answer{Topic: "news", Verdict: sink.Duplicate, Match: match}, "?wait=verdict", 200, "similarity:0.9", ""},
		{gateway.Answer{Topic: "news", Verdict: sink.Rejected, Rejection: &document.Rejection{Reason: sink.TooLarge, Detail: "d"}}, "?wait=verdict", 200, "reason:too_large", ""},
		{gateway.Answer{Topic: "news", Verdict: gateway.Unchecked, Unchecked: sink.InOutage}, "?wait=verdict", 200, "reason:outage", ""},
		{gateway.Answer{Topic: "news", Offset: -1, Err: gateway.ErrBusy}, "", 429, "error:too many", "1"},
		{gateway.Answer{Topic: "news", Offset: -1, Err: fmt.Errorf("%w: broker-7", gateway.ErrAway)}, "", 503, "in the source or not topic:news]", "1"},
		{gateway.Answer{Topic: "news", Offset: -1, Err: gateway.ErrTooLarge}, "", 413, "error:the document is larger", ""},
		{gateway.Answer{Topic: "news", Offset: -1, Err: gateway.ErrUnread}, "", 503, "error:the document cannot be read", "1"},
		{gateway.Answer{Topic: "news", Offset: -1, Err: gateway.ErrRefused}, "", 502, "error:the broker refuses", ""},
	} {
		to := &fakeGateway{answer: func(*gateway.Document) gateway.Answer { return c.answer }}
		d := sends(t, to, nil)
		code, got, after := d.send(c.wait, `1`)
		if want := outcomeOf(c.code, c.wait); len(to.told) != 1 || to.told[0].String() != want {
			t.Errorf("%+v: it counts as %v, want %s", c.answer, to.told, want)
		}
		if told := fmt.Sprint(at(got, "documents", 0)); code != c.code || after != c.after || !strings.Contains(told, c.want) {
			t.Errorf("%+v: %d %v after %q, want %d %s after %q", c.answer, code, got, after, c.code, c.want, c.after)
		}
	}
}

func outcomeOf(code int, query string) string {
	if code == http.StatusAccepted && query == "" {
		return "taken"
	}
	return map[int]string{
		200: "verdict", 202: "pending", 409: "refused", 413: "refused", 429: "busy", 502: "failed", 503: "away",
	}[code]
}

// What a document may have is what its own topic allows, and never more than the broker takes.
func TestSendBoundsByTopic(t *testing.T) {
	t.Parallel()
	d := sends(t, &fakeGateway{}, func(s *Setup) {
		for i, topic := range []string{"others", "more", "news"} {
			of := document.DefaultSource()
			of.Topics, of.Reading.MaxBytes = []string{topic}, []setting.Bytes{500, 800, 2000}[i]
			s.Sources = append(s.Sources, of)
		}
		s.Topics = append(s.Topics, "others")
	})
	for topic, most := range map[string]int{"others": 500, "more": 800, "news": 1000} {
		for size, want := range map[int]int{most: 202, most + 1: 413} {
			code, got, _ := d.send("?topic="+topic, strings.Repeat("a", size), "Content-Type", "text/plain")
			if code != want || want == 413 && !strings.Contains(fmt.Sprint(got), fmt.Sprintf("topic %s takes %d", topic, most)) {
				t.Errorf("%d bytes for %s: %d %v, want %d", size, topic, code, got, want)
			}
		}
	}
}

// More than the rate get 429, and take nothing of it.
func TestSendRate(t *testing.T) {
	t.Parallel()
	d := sends(t, &fakeGateway{}, func(s *Setup) { s.Limits.DocumentsPerS = 1 })
	batch := "[" + strings.Repeat("1,", maxDocuments-1) + "1]"
	if code, _, _ := d.send("", batch); code != http.StatusAccepted {
		t.Fatalf("a full request: %d", code)
	}
	if code, _, after := d.send("", `[1,2]`); code != http.StatusTooManyRequests || after == "" {
		t.Errorf("one beyond the rate: %d after %q", code, after)
	}
}

// A group that forwards nothing tells no verdicts; one of which nothing would ever come out takes nothing.
func TestSendToASilentGroup(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		silent gateway.NotForwarding
		query  string
		key    string
		code   int
		want   string
	}{
		{gateway.NotForwarding{Other: "old"}, "?wait=verdict", "", 409, "group old forwards the documents"},
		{gateway.NotForwarding{Other: "old"}, "", "a", 409, "ask a member of group old"},
		{gateway.NotForwarding{Other: "old"}, "", "", 202, "news"},
		{gateway.NotForwarding{DryRun: true}, "?wait=verdict", "", 409, "is a dry run"},
		{gateway.NotForwarding{DryRun: true}, "", "", 409, "it would not forward the documents"},
	} {
		to := &fakeGateway{silent: c.silent}
		var headers []string
		if c.key != "" {
			headers = []string{headerIdempotency, c.key}
		}
		code, got, _ := sends(t, to, nil).send(c.query, `{}`, headers...)
		if code != c.code || !strings.Contains(fmt.Sprint(got), c.want) || (len(to.came) > 0) != (code == 202) {
			t.Errorf("%+v: %d %v, came %v", c, code, got, to.came)
		}
	}
}

// blocked waits for a verdict that never comes.
type blocked struct{ begun chan struct{} }

func (*blocked) Answered(gateway.Outcome) {}

func (b *blocked) NotForwarding() gateway.NotForwarding { return gateway.NotForwarding{} }

func (b *blocked) Send(ctx context.Context, docs []gateway.Document, _ time.Duration) []gateway.Answer {
	close(b.begun)
	<-ctx.Done()
	return []gateway.Answer{{Topic: docs[0].Topic, Offset: 3}}
}

// At the end of the process whoever waits is told where the document is, and may ask another member.
func TestSendEnds(t *testing.T) {
	t.Parallel()
	b := &blocked{begun: make(chan struct{})}
	f := newFake(t)
	f.stats.Params = index.DefaultParams()
	f.stats.Params.Duplicates.Remember.Keys = time.Hour
	a := must(New(&Setup{
		Service: f, Index: index.DefaultParams(), Sources: anySource(), Gateway: b, Topics: []string{"news"},
		MaxDocument: 100, Access: Access{Token: func() string { return token }}, Logger: zerolog.Nop(),
		Limits: Limits{RequestsPerS: 10, LookupsPerS: 10, DocumentsPerS: 10},
	}))(t)
	ctx, end := context.WithCancel(t.Context())
	ran := make(chan struct{})
	go func() { a.Run(ctx); close(ran) }()
	go func() { <-b.begun; end() }()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/documents?wait=verdict", strings.NewReader("{}"))
	r.Header.Set("Authorization", bearer)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	<-ran
	if w.Code != http.StatusAccepted || !strings.Contains(w.Body.String(), `"offset":3`) {
		t.Errorf("a document that waits for its verdict when the API ends is answered %d %s; want %d with the offset 3",
			w.Code, w.Body, http.StatusAccepted)
	}
}

// A group whose topics come by a pattern names none that documents could be sent to.
func TestDocumentsWithoutANamedTopic(t *testing.T) {
	api := sends(t, &fakeGateway{}, func(s *Setup) { s.Topics = nil })
	for _, query := range []string{"", "?topic=news"} {
		if status, got, _ := api.send(query, "a text"); status != http.StatusBadRequest || !strings.Contains(fmt.Sprint(got), "sources.pattern") {
			t.Errorf("without a named topic, POST /api/v1/documents%s is answered %d %v; want %d that names sources.pattern",
				query, status, got, http.StatusBadRequest)
		}
	}
}
