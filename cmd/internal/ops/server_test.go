package ops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/stop"
)

func TestEndpoints(t *testing.T) {
	r := start(t, statsOf(full()), isReady(true))
	for _, c := range []struct {
		method, path string
		code         int
		body         string // contained
	}{
		{"GET", "/", 200, "/ready    200 when"},
		{"GET", "/live", 200, "live\n"},
		{"GET", "/ready", 200, "ready\n"},
		{"GET", "/metrics", 200, "unecho_commits_total 11\n"},
		{"GET", "/metrics", 200, "go_goroutines "},
		{"GET", "/live?why=%zz;", 200, "live\n"},
		{"HEAD", "/live", 200, ""},
		{"HEAD", "/metrics", 200, ""},
		{"POST", "/live", 405, "Method Not Allowed"},
		{"PUT", "/ready", 405, ""},
		{"DELETE", "/metrics", 405, ""},
		{"OPTIONS", "/", 405, ""},
		{"GET", "/nothing", 404, ""},
		{"GET", "/live/", 404, ""},
		{"GET", "/debug/pprof/", 404, ""},
		{"GET", "/debug/vars", 404, ""},
	} {
		t.Run(c.method+" "+c.path, func(t *testing.T) {
			code, body, header := r.ask(t, c.method, c.path)
			if code != c.code || !strings.Contains(body, c.body) || c.method == "HEAD" && body != "" {
				t.Errorf("got %d %q, want %d and %q", code, body, c.code, c.body)
			}
			if code == 405 && header.Get("Allow") != "GET, HEAD" {
				t.Errorf("allowed: %q", header.Get("Allow"))
			}
			if strings.Contains(header.Get("Content-Type"), "html") {
				t.Errorf("type %q", header.Get("Content-Type"))
			}
		})
	}
}

// TestPage: a browser gets the page, and everybody else the lines of text.
func TestPage(t *testing.T) {
	s := Setup{
		Stats: statsOf(full()), Ready: isReady(true),
		Page: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(w, http.StatusOK, "page of "+r.URL.Path) }),
	}
	for _, c := range []struct{ path, accept, want string }{
		{"/", "text/html,application/xhtml+xml", "page of /"},
		{"/", "*/*", endpoints},
		{"/", "", endpoints},
		{"/page/main.js", "*/*", "page of /page/main.js"},
	} {
		req := httptest.NewRequest(http.MethodGet, c.path, http.NoBody)
		req.Header.Set("Accept", c.accept)
		rec := httptest.NewRecorder()
		newHandler(s).ServeHTTP(rec, req)
		if rec.Body.String() != c.want || c.path == "/" && rec.Header().Get("Vary") != "Accept" {
			t.Errorf("%s, accept %q: %q, vary %q", c.path, c.accept, rec.Body, rec.Header().Get("Vary"))
		}
	}
}

// TestURL is an address that a browser can open, whatever is listened on.
func TestURL(t *testing.T) {
	for addr, want := range map[string]string{
		"127.0.0.1:9464": "http://127.0.0.1:9464/", "[::]:9464": "http://localhost:9464/",
		"0.0.0.0:80": "http://localhost:80/", "[::1]:1": "http://[::1]:1/", "": "",
	} {
		s := &Server{addr: addr, listening: make(chan struct{})}
		close(s.listening)
		if got := s.URL(); got != want {
			t.Errorf("%q: %q, want %q", addr, got, want)
		}
	}
}

func (r *running) ask(t *testing.T, method, path string) (int, string, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(within(t), method, "http://"+r.Addr()+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body), resp.Header
}

func TestReady(t *testing.T) {
	for _, c := range []struct {
		name  string
		ready bool
		stats consumer.Stats
		code  int
		body  string
	}{
		{"working", true, full(), 200, "ready\n"},
		{
			"in trouble", false,
			consumer.Stats{
				JournalNext: 5, JournalEnd: 9,
				Standing: consumer.Standing{Trouble: "session m-s0 waits: news/0: why"},
			},
			503,
			"not ready: session m-s0 waits: news/0: why\n",
		},
		{"the journal has grown meanwhile", true, consumer.Stats{JournalNext: 5, JournalEnd: 9}, 200, "ready\n"},
		{"nothing reached", false, fresh(), 503, "not ready: reaching Kafka and restoring the newest snapshot\n"},
		{"restoring, the journal's end known", false, consumer.Stats{JournalNext: -1, JournalEnd: 5000}, 503, "not ready: reaching Kafka and restoring the newest snapshot\n"},
		{
			"catching up", false,
			consumer.Stats{JournalNext: 120, JournalEnd: 5000},
			503,
			"not ready: catching up with the journal: next is 120, the end is 5000, 4880 to go\n",
		},
		{
			"judging waits for a file, and it has left the group", false,
			consumer.Stats{JournalNext: 120, JournalEnd: 5000, FileTrouble: "judging waits for files of old documents"},
			503,
			"not ready: judging waits for files of old documents\n",
		},
		{"the end unknown", false, consumer.Stats{JournalNext: 120, JournalEnd: -1}, 503, "not ready: the journal's end is unknown; applied up to 120\n"},
		{
			"draining", false,
			consumer.Stats{JournalNext: 5003, JournalEnd: 5000},
			503,
			"not ready: caught up with the journal at 5003, but taking no documents: about to start, or stopping\n",
		},
		{"an empty journal", false, consumer.Stats{}, 503, "not ready: caught up with the journal at 0, but taking no documents: about to start, or stopping\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			newHandler(Setup{Stats: statsOf(c.stats), Ready: isReady(c.ready), Version: "v", Logger: zerolog.Nop()}).
				ServeHTTP(w, httptest.NewRequest("GET", "/ready", http.NoBody))
			if w.Code != c.code || w.Body.String() != c.body {
				t.Errorf("got %d %q, want %d %q", w.Code, w.Body.String(), c.code, c.body)
			}
			if got := w.Header().Get("Cache-Control"); got != "no-store" {
				t.Errorf("cache %q", got)
			}
		})
	}
}

func TestGarbage(t *testing.T) {
	r := start(t, statsOf(full()), isReady(true))
	for _, c := range []struct{ name, sent, want string }{
		{"no HTTP", "\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", "HTTP/1.1 400 "},
		{"a Kafka request", "\x00\x00\x00\x13\x00\x12\x00\x03\r\n\r\n", "HTTP/1.1 400 "},
		{"a header without end", "GET /live HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("x", 2*maxHeaderBytes), "HTTP/1.1 431 "},
		{"a path up out of the tree", "GET /../../etc/passwd HTTP/1.0\r\nHost: a\r\n\r\n", "HTTP/1.0 "},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, err := new(net.Dialer).DialContext(within(t), "tcp", r.Addr())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			go func() { _, _ = io.WriteString(conn, c.sent) }() // the server may close before all is written
			got := make([]byte, len(c.want))
			if _, err := io.ReadFull(conn, got); err != nil || string(got) != c.want {
				t.Errorf("got %q (%v), want %q", got, err, c.want)
			}
		})
	}
	if code, _, _ := r.ask(t, "GET", "/live"); code != 200 {
		t.Errorf("afterwards: %d", code)
	}
}

// gate is a service whose stats do not answer until it is opened.
type gate struct {
	entered chan struct{}
	opened  chan struct{}
	once    sync.Once
}

func newGate(t *testing.T) *gate {
	g := &gate{entered: make(chan struct{}, 100), opened: make(chan struct{})}
	t.Cleanup(g.open)
	return g
}

func (g *gate) open() { g.once.Do(func() { close(g.opened) }) }

func (g *gate) stats() consumer.Stats {
	g.entered <- struct{}{}
	<-g.opened
	return full()
}

// scrape asks for the metrics and waits until the stats are asked for.
func (r *running) scrape(t *testing.T, g *gate) <-chan string {
	t.Helper()
	got := make(chan string, 1)
	ctx := within(t)
	go func() {
		defer close(got)
		req, err := http.NewRequestWithContext(ctx, "GET", "http://"+r.Addr()+"/metrics", http.NoBody)
		if err != nil {
			return
		}
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		resp, err := client.Do(req)
		if err != nil {
			got <- err.Error()
			return
		}
		defer func() { _ = resp.Body.Close() }()
		body, err := io.ReadAll(resp.Body)
		got <- fmt.Sprint(resp.StatusCode, err, strings.Contains(string(body), "unecho_commits_total 11"))
	}()
	select {
	case <-g.entered:
	case answer := <-got:
		t.Fatalf("answered without the stats: %s", answer)
	}
	return got
}

func TestHanging(t *testing.T) {
	g := newGate(t)
	r := start(t, g.stats, isReady(true))
	var scrapes []<-chan string
	for range maxScrapes {
		scrapes = append(scrapes, r.scrape(t, g))
	}
	if code, body, _ := r.ask(t, "GET", "/metrics"); code != 503 {
		t.Errorf("one scrape too many is answered %d %q", code, body)
	}
	for _, path := range []string{"/live", "/ready"} {
		if code, _, _ := r.ask(t, "GET", path); code != 200 {
			t.Errorf("%s waits for the stats, or says %d", path, code)
		}
	}
	g.open()
	for _, got := range scrapes {
		if answer := <-got; answer != "200 <nil> true" {
			t.Errorf("a scrape that waited for the stats ends with %q; want status 200, no error, and the commits in its body", answer)
		}
	}
}

func TestEnd(t *testing.T) {
	t.Run("a request that is begun is finished", func(t *testing.T) {
		g := newGate(t)
		r := start(t, g.stats, isReady(true))
		got := r.scrape(t, g)
		r.stop()
		r.refuses(t)
		g.open()
		if answer := <-got; answer != "200 <nil> true" {
			t.Errorf("the request that was begun ends with %q; want status 200, no error, and the commits in its body", answer)
		}
		if err := r.ended(); err != nil {
			t.Error(err)
		}
	})
	t.Run("one that takes too long is cut off", func(t *testing.T) {
		g := newGate(t)
		r := start(t, g.stats, isReady(true))
		got := r.scrape(t, g)
		r.stop()
		if err := r.ended(); err != nil {
			t.Error(err)
		}
		if answer := <-got; !strings.Contains(answer, "EOF") && !strings.Contains(answer, "reset") {
			t.Errorf("the request that takes too long ends with %q; want EOF, or a connection that is reset", answer)
		}
	})
	t.Run("before it began", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		s := New("127.0.0.1:0", Setup{Stats: statsOf(full()), Ready: isReady(true), Version: "v", Logger: zerolog.Nop()})
		if err := s.Serve(ctx); err != nil {
			t.Error(err)
		}
	})
}

// refuses waits until nothing listens any more.
func (r *running) refuses(t *testing.T) {
	t.Helper()
	ctx := within(t)
	for {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", r.Addr())
		if errors.Is(err, syscall.ECONNREFUSED) {
			return
		}
		if err != nil && !errors.Is(err, syscall.ECONNRESET) {
			t.Fatal(err)
		}
		if err == nil {
			_ = conn.Close()
		}
	}
}

func TestCannotListen(t *testing.T) {
	taken := start(t, statsOf(full()), isReady(true))
	for _, c := range []struct{ name, listen, what, remedy string }{
		{"taken", taken.Addr(), "address already in use", "another process has this port"},
		{"not here", "192.0.2.1:9464", "cannot assign requested address", "no such address"},
		{"no port", "127.0.0.1:99999", "invalid port", "set http.listen to host:port"},
		{"nothing of the kind", "everywhere", "missing port in address", "set http.listen to host:port"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := New(c.listen, Setup{Stats: statsOf(full()), Ready: isReady(true), Version: "v", Logger: zerolog.Nop()})
			err := s.Serve(within(t))
			var listen *stop.Error
			if !errors.As(err, &listen) || !strings.Contains(listen.Remedy, c.remedy) {
				t.Fatalf("got %v", err)
			}
			text := err.Error()
			if !strings.Contains(text, c.what) || !strings.Contains(text, "\n  ") || !strings.Contains(text, c.remedy) {
				t.Errorf("got %q, want %q and %q", text, c.what, c.remedy)
			}
			if strings.Count(text, c.listen) != 1 {
				t.Errorf("the address is not named just once: %q", text)
			}
			if s.Addr() != "" {
				t.Errorf("address %q", s.Addr())
			}
		})
	}
	for _, c := range []struct {
		err    error
		remedy string
	}{
		{syscall.EACCES, "above 1023"},
		{&net.DNSError{Err: "no such host", Name: "kafka"}, "no such address"},
	} {
		e := cannotListen("kafka:80", &net.OpError{Op: "listen", Net: "tcp", Err: c.err})
		if !strings.Contains(e.Error(), c.remedy) || !errors.Is(e, c.err) {
			t.Errorf("got %q", e.Error())
		}
	}
}
