package api

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/rs/zerolog"

	"github.com/unecho/unecho/cmd/internal/api/shape"
	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
)

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// described is a client that holds every request and every answer against the description.
type described struct {
	t      *testing.T
	url    string
	doc    *openapi3.T
	router routers.Router
}

func serve(t *testing.T, service Service, change func(*Setup)) *described {
	t.Helper()
	setup := &Setup{
		Service: service, Index: index.DefaultParams(), Sources: anySource(), Group: "unecho", Version: "v1",
		Settings: []shape.Setting{{Key: "group", Value: "unecho"}, {Key: "kafka.sasl.password", Value: "***"}},
		Why:      func(consumer.Stats) string { return "restoring" }, Access: Access{Loopback: true}, Limits: Limits{RequestsPerS: 10_000, LookupsPerS: 10_000}, Logger: zerolog.Nop(),
	}
	if change != nil {
		change(setup)
	}
	handler := must(New(setup))(t)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	doc := must(openapi3.NewLoader().LoadFromData(openAPI))(t)
	if err := doc.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
	from := must(url.Parse(server.URL + "/api/v1/openapi.json"))(t)
	doc.Servers = openapi3.Servers{{URL: must(from.Parse(doc.Servers[0].URL))(t).String()}}
	return &described{t: t, url: server.URL, doc: doc, router: must(gorillamux.NewRouter(doc))(t)}
}

// do sends a request, and returns the answer, which is as it is described.
func (d *described) do(method, path, body string, headers ...string) (int, map[string]any) {
	d.t.Helper()
	code, got, _ := d.ask(method, path, body, headers...)
	return code, got
}

// ask also returns after how many seconds to ask again.
func (d *described) ask(method, path, body string, headers ...string) (code int, got map[string]any, after string) {
	d.t.Helper()
	req := must(http.NewRequestWithContext(d.t.Context(), method, d.url+path, strings.NewReader(body)))(d.t)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if req.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			req.Host = headers[i+1]
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data := must(io.ReadAll(resp.Body))(d.t)
	d.holds(method, path, resp, data)
	if err := json.Unmarshal(data, &got); err != nil {
		d.t.Fatalf("%s %s: %v in %s", method, path, err, data)
	}
	return resp.StatusCode, got, resp.Header.Get("Retry-After")
}

func (d *described) holds(method, path string, resp *http.Response, data []byte) {
	d.t.Helper()
	asked := must(http.NewRequestWithContext(d.t.Context(), method, d.url+path, nil))(d.t)
	route, params, err := d.router.FindRoute(asked)
	if err != nil {
		if resp.StatusCode != http.StatusNotFound && resp.StatusCode != http.StatusMethodNotAllowed {
			d.t.Errorf("%s %s is not described, and answers %d", method, path, resp.StatusCode)
		}
		return
	}
	in := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: asked, PathParams: params, Route: route},
		Status:                 resp.StatusCode, Header: resp.Header,
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	}
	in.SetBodyBytes(data)
	if err := openapi3filter.ValidateResponse(d.t.Context(), in); err != nil {
		d.t.Errorf("%s %s: %d %s is not as described: %v", method, path, resp.StatusCode, data, err)
	}
}

// open sends a request whose answer is not read here.
func (d *described) open(ctx context.Context, path string) (status int, kind string, body *bufio.Scanner) {
	d.t.Helper()
	req := must(http.NewRequestWithContext(ctx, http.MethodGet, d.url+path, http.NoBody))(d.t)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = resp.Body.Close() })
	return resp.StatusCode, resp.Header.Get("Content-Type"), bufio.NewScanner(resp.Body)
}

func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			l, _ := v.([]any)
			if p >= len(l) {
				return nil
			}
			v = l[p]
		}
	}
	return v
}

func TestStatus(t *testing.T) {
	service := newFake(t)
	d := serve(t, service, nil)
	code, got := d.do("GET", "/api/v1/status", "")
	for path, want := range map[string]any{
		"documents.unique": 1.0, "documents.rejected": 2.0, "rejected.too_large.count": 2.0, "ready": true, "lag.documents": nil, "window.documents": 1.0,
		"window.bytes_bound": float64(1 << 30), "journal.applied": "2023-11-14T22:13:20.000Z", "snapshot.next": 2.0, "group": "unecho",
	} {
		var keys []any
		for key := range strings.SplitSeq(path, ".") {
			keys = append(keys, key)
		}
		if v := at(got, keys...); code != http.StatusOK || v != want {
			t.Errorf("%s is %v, want %v", path, v, want)
		}
	}
	service.stats = consumer.Stats{JournalNext: -1, JournalEnd: -1, SnapshotNext: -1}
	if _, got = d.do("GET", "/api/v1/status", ""); got["why"] != "restoring" || got["snapshot"] != nil || at(got, "journal", "end") != nil {
		t.Errorf("before it is ready: %v", got)
	}
}

func TestConfig(t *testing.T) {
	if _, got := serve(t, newFake(t), nil).do("GET", "/api/v1/config", ""); at(got, "settings", 1, "value") != "***" {
		t.Errorf("got %v", got)
	}
}

func TestLookup(t *testing.T) {
	d := serve(t, newFake(t), nil)
	code, got := d.do("POST", "/api/v1/lookup", string(must(json.Marshal(map[string]any{"texts": []string{similar, "quite another thing", ""}}))(t)))
	match := at(got, "results", 0, "matches", 0)
	if code != http.StatusOK || at(got, "results", 0, "duplicate") != true || at(match, "topic") != "news" || at(match, "id") != "doc-0" ||
		at(match, "copy") != 3.0 || len(at(match, "bands").([]any)) == 0 || at(match, "shared", "of") != "shingles" || at(match, "shared", "part") != 20.0 ||
		at(got, "results", 0, "threshold") != 0.8 || at(got, "results", 0, "bands") != 13.0 || at(got, "results", 0, "compared") != 1.0 || at(match, "time") != "2023-07-22T04:26:40.000Z" {
		t.Errorf("the lookup of a near copy answers %d %v; want 200 and copy 3 of doc-0 in news, which shares 20 shingles, compared with 1",
			code, got)
	}
	if s, _ := at(match, "similarity").(float64); s < 0.8 || s > 1 {
		t.Errorf("similarity %v", s)
	}
	if at(got, "results", 1, "duplicate") != false || at(got, "results", 2, "empty") != true {
		t.Errorf("the lookup of three texts answers %v; want the second to be no duplicate, and the third to be empty", got)
	}
	if _, got = d.do("POST", "/api/v1/lookup", `{"text": "`+original+`", "most": 3}`); at(got, "results", 0, "matches", 0, "method") != "identical" {
		t.Errorf("the lookup of the very text of doc-0 answers %v; want a first match by the method identical", got)
	}
}

// TestLookupOfWhatIsNear: of a text that is no duplicate, the answer has the nearest document, and what is missing.
func TestLookupOfWhatIsNear(t *testing.T) {
	d := serve(t, newFake(t), nil)
	_, got := d.do("POST", "/api/v1/lookup", `{"texts": ["`+near+`", "`+similar+`", "quite another thing", ""]}`)
	n := at(got, "results", 0, "nearest")
	if at(got, "results", 0, "duplicate") != false || at(n, "topic") != "news" || at(n, "id") != "doc-0" || at(n, "similarity") != 0.6666 ||
		at(n, "method") != "jaccard" || at(n, "shared", "part") != 20.0 || at(n, "shared", "whole") != 30.0 || at(n, "missing") != 3.0 ||
		len(at(n, "bands").([]any)) == 0 || at(got, "results", 0, "compared") != 1.0 {
		t.Errorf("the lookup of a text that is near answers %v; want doc-0 as nearest, which shares 20 of 30 shingles and lacks 3", got)
	}
	for i := 1; i < 4; i++ {
		if at(got, "results", i, "nearest") != nil {
			t.Errorf("of a duplicate, of another thing and of nothing the answer is %v; want no nearest", got)
		}
	}
}

// A text is looked up by the bytes that it has: in base64 also by those that are not UTF-8, for which JSON would have others.
func TestLookupOfBytes(t *testing.T) {
	d := serve(t, newFake(t), nil)
	body := func(text string) string {
		return string(must(json.Marshal(map[string]any{"texts": [][]byte{[]byte(text)}, "base64": true}))(t))
	}
	if _, got := d.do("POST", "/api/v1/lookup", body(original)); at(got, "results", 0, "matches", 0, "method") != "identical" {
		t.Errorf("the lookup of doc-0 in base64 answers %v; want a match by the method identical", got)
	}
	const cp1251 = "\xec\xee\xf1\xf2 2024"
	if code, got := d.do("POST", "/api/v1/lookup", body(cp1251)); code != http.StatusOK || at(got, "results", 0, "empty") != nil {
		t.Errorf("the lookup of bytes that are not UTF-8 answers %d %v; want 200", code, got)
	}
	strict := serve(t, newFake(t), func(s *Setup) { s.Sources[0].Reading.Reject = []string{"invalid_encoding"} })
	if code, got := strict.do("POST", "/api/v1/lookup", body(cp1251)); code != http.StatusBadRequest ||
		!strings.Contains(fmt.Sprint(got["error"]), "sources.reject") {
		t.Errorf("where documents that are not UTF-8 are rejected, their lookup answers %d %v; want 400 and sources.reject", code, got)
	}
}

// What is no question gets an answer that says what to do.
func TestLookupRefuses(t *testing.T) {
	service := newFake(t)
	d := serve(t, service, nil)
	scoped := serve(t, service, func(s *Setup) { s.Sources[0].Reading.Scope = "partition" })
	for _, c := range []struct {
		d     *described
		body  string
		code  int
		says  string
		fails error
	}{
		{d, `{`, 400, "cannot be read", nil},
		{d, `{"text": "a"} {}`, 400, "there is more", nil},
		{d, `{"txt": "a"}`, 400, "txt", nil},
		{d, `{}`, 400, "either text or texts", nil},
		{d, `{"texts": ["YQ==", "?"], "base64": true}`, 400, "text 1 is not base64", nil},
		{d, `{"text": "a", "texts": ["b"]}`, 400, "either text or texts", nil},
		{d, `{"texts": [` + strings.Repeat(`"a",`, maxTexts) + `"a"]}`, 400, "101 texts", nil},
		{d, `{"text": "a", "most": 21}`, 400, "most is 21", nil},
		{d, `{"text": "a", "scope": "x"}`, 400, "no scope here", nil},
		{scoped, `{"text": "a"}`, 400, "name the scope", nil},
		{scoped, `{"text": "a", "scope": "x"}`, 400, "no number of a partition", nil},
		{d, `{"text": "` + strings.Repeat("a ", 1<<19+1) + `"}`, 413, "advanced.max_document_bytes", nil},
		{d, `{"text": "` + strings.Repeat("a ", maxBody) + `"}`, 413, "the body has more than", nil},
		{d, `{"text": "a"}`, 503, "restoring", member.ErrNoReplica},
		{d, `{"text": "a"}`, 429, "too many lookups", member.ErrBusy},
		{d, `{"text": "a"}`, 429, "hold too much", member.ErrTooMuch},
		{d, `{"text": "a"}`, 500, "the lookup failed", io.ErrUnexpectedEOF},
	} {
		service.fails = c.fails
		code, got := c.d.do("POST", "/api/v1/lookup", c.body)
		if said, _ := got["error"].(string); code != c.code || !strings.Contains(said, c.says) || got["remedy"] == "" {
			t.Errorf("%.60s: %d %v; want %d, %q", c.body, code, got, c.code, c.says)
		}
	}
	service.fails = nil
	if code, got := d.do("POST", "/api/v1/lookup", `{"text": "a"}`, "Content-Type", "text/plain"); code != http.StatusUnsupportedMediaType {
		t.Errorf("a lookup that is sent as text/plain is answered %d %v; want %d", code, got, http.StatusUnsupportedMediaType)
	}
	if code, _ := scoped.do("POST", "/api/v1/lookup", `{"text": "a", "scope": "3"}`); code != http.StatusOK {
		t.Errorf("a partition's number is a scope: %d", code)
	}
	if code, _ := d.do("GET", "/api/v2/lookup", ""); code != http.StatusNotFound {
		t.Errorf("another version: %d", code)
	}
}

func TestRecent(t *testing.T) {
	d := serve(t, newFake(t), nil)
	_, got := d.do("GET", "/api/v1/recent?topic=news&min_similarity=0.8&limit=5", "")
	copied := at(got, "copies", 0)
	if at(copied, "document", "id") != "doc-1" || at(copied, "document", "partition") != 2.0 || at(copied, "match", "id") != "doc-0" || at(got, "count") != 1.0 {
		t.Errorf("GET /api/v1/recent answers %v; want one copy: doc-1 of partition 2, which matches doc-0", got)
	}
	for _, query := range []string{"topic=blog", "min_similarity=1"} {
		if _, got := d.do("GET", "/api/v1/recent?"+query, ""); len(at(got, "copies").([]any)) != 0 {
			t.Errorf("GET /api/v1/recent?%s answers %v; want no copies", query, got)
		}
	}
	for _, query := range []string{"limit=0", "limit=x", "limit=1001", "min_similarity=2", "min_similarity=NaN"} {
		if code, got := d.do("GET", "/api/v1/recent?"+query, ""); code != http.StatusBadRequest || got["remedy"] == "" {
			t.Errorf("GET /api/v1/recent?%s is answered %d %v; want %d with a remedy", query, code, got, http.StatusBadRequest)
		}
	}
}

// TestEvents: a stream tells what is found from now on, or behind the number that a client names.
func TestEvents(t *testing.T) {
	service := newFake(t)
	d := serve(t, service, nil)
	add := func(offset int64) {
		v := index.Verdict{Offset: offset, Match: index.Match{Method: compare.Identical, Similarity: compare.Similarity{Num: 1, Den: 1}}}
		service.copies.Add(index.Stamp{}, &index.Run{Entries: make([]entry.Entry, 1)}, []index.Verdict{v}, func(entry.Source) string { return "<b>" })
	}
	open := func(path string) (next func() string, end func()) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		status, kind, lines := d.open(ctx, path)
		if status != http.StatusOK || kind != "text/event-stream" {
			t.Fatalf("GET %s is answered %d as %q; want %d as text/event-stream", path, status, kind, http.StatusOK)
		}
		return func() string {
			var event []string
			for lines.Scan() && lines.Text() != "" {
				event = append(event, lines.Text())
			}
			return strings.Join(event, "\n")
		}, cancel
	}
	next, end := open("/api/v1/events?after=0")
	if got := next(); !regexp.MustCompile(`^id: [a-z0-9]+-1\nevent: copy\ndata: {`).MatchString(got) || !strings.Contains(got, `"id":"doc-1"`) {
		t.Errorf("behind the beginning: %s", got)
	}
	end()
	next, end = open("/api/v1/events")
	defer end()
	for offset := range int64(streamMost + 3) {
		add(offset)
	}
	got := next()
	if !strings.HasPrefix(got, "event: missed\ndata: {\"copies\":") {
		// The stream looked in between: what it told is not missed.
		t.Logf("begins with %s", got)
	}
	for !strings.Contains(got, fmt.Sprintf("-%d\nevent: copy", streamMost+4)) {
		if got = next(); got == "" {
			t.Fatal("the last one is not told")
		}
	}
	if strings.Contains(got, "<b>") {
		t.Errorf("markup is not escaped: %s", got)
	}
}

func TestAccess(t *testing.T) {
	service := newFake(t)
	local, open := serve(t, service, nil), serve(t, service, func(s *Setup) { s.Access = Access{} })
	token := serve(t, service, func(s *Setup) { s.Access = Access{Token: func() string { return "a secret of some length" }} })
	for _, c := range []struct {
		name    string
		d       *described
		code    int
		headers []string
	}{
		{"loopback", local, 200, nil},
		{"by name", local, 200, []string{"Host", "localhost:9464"}},
		{"IPv6", local, 200, []string{"Host", "[::1]:9464"}},
		{"a name of the web that leads here", local, 403, []string{"Host", "evil.example:9464"}},
		{"passed on by a proxy", local, 403, []string{"X-Forwarded-For", "192.0.2.1"}},
		{"exposed without a token", open, 403, nil},
		{"no token", token, 401, nil},
		{"wrong token", token, 401, []string{"Authorization", "Bearer wrong"}},
		{"no bearer", token, 401, []string{"Authorization", "a secret of some length"}},
		{"the token", token, 200, []string{"Authorization", "Bearer a secret of some length", "Host", "unecho.example"}},
	} {
		if code, got := c.d.do("GET", "/api/v1/status", "", c.headers...); code != c.code || code != 200 && got["remedy"] == "" {
			t.Errorf("%s: %d %v, want %d", c.name, code, got, c.code)
		}
	}
}

// TestMoment: each time that a producer may write is one that clients can read.
func TestMoment(t *testing.T) {
	for ms, want := range map[int64]string{
		1_700_000_000_000: "2023-11-14T22:13:20.000Z", math.MaxInt64: "9999-12-31T23:59:59.999Z", math.MinInt64: "0000-01-01T00:00:00.000Z",
		1_700_000_000_000_000: "9999-12-31T23:59:59.999Z", // microseconds taken for milliseconds
	} {
		got := shape.At(ms).String()
		if _, err := time.Parse(time.RFC3339, got); err != nil || got != want {
			t.Errorf("%d: %s, want %s: %v", ms, got, want, err)
		}
	}
}

func anySource() []document.Source { return []document.Source{document.DefaultSource()} }
