package ops

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rs/zerolog"
)

// asked returns the answer to a request from an address, for a host, with headers that proxies add.
func asked(h http.Handler, method, path, body, from, host string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.RemoteAddr, r.Host = from, host
	for _, name := range headers {
		r.Header.Set(name, "192.0.2.7")
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestOnlyLocal(t *testing.T) {
	level := zerolog.GlobalLevel()
	t.Cleanup(func() { zerolog.SetGlobalLevel(level) })
	h := newHandler(Setup{
		Stats: statsOf(full()), Ready: isReady(true), Version: "v", Logger: zerolog.Nop(),
		Profiles: true,
	})
	for _, c := range []struct {
		name, from, host string
		headers          []string
		code             int
	}{
		{"here", "127.0.0.1:4711", "127.0.0.1:9464", nil, 200},
		{"here by name", "127.0.0.1:4711", "localhost:9464", nil, 200},
		{"here without a port", "127.0.0.1:4711", "localhost", nil, 200},
		{"here by IPv6", "[::1]:4711", "[::1]:9464", nil, 200},
		{"here by IPv4 in IPv6", "[::ffff:127.0.0.1]:4711", "127.0.0.1:9464", nil, 200},
		{"elsewhere", "192.0.2.7:4711", "127.0.0.1:9464", nil, 403},
		{"elsewhere by IPv6", "[2001:db8::7]:4711", "localhost:9464", nil, 403},
		{"through a proxy", "127.0.0.6:4711", "127.0.0.1:9464", []string{"X-Forwarded-For"}, 403},
		{"through another proxy", "127.0.0.6:4711", "127.0.0.1:9464", []string{"Forwarded"}, 403},
		{"a page whose name leads here", "127.0.0.1:4711", "evil.example:9464", nil, 403},
		{"from nowhere", "", "localhost", nil, 403},
	} {
		for _, ask := range []struct{ method, path string }{
			{"PUT", "/log/level"}, {"GET", "/debug/pprof/"}, {"GET", "/debug/pprof/heap"}, {"GET", "/debug/pprof/profile?seconds=1"}, {"GET", "/debug/pprof/trace?seconds=1"},
		} {
			if strings.Contains(ask.path, "seconds") && c.code == 200 && c.name != "here" {
				continue // each takes a second
			}
			if w := asked(h, ask.method, ask.path, "error", c.from, c.host, c.headers...); w.Code != c.code {
				t.Errorf("%s: %s %s is answered %d %s; want %d", c.name, ask.method, ask.path, w.Code, w.Body, c.code)
			}
		}
		if w := asked(h, "GET", "/metrics", "", c.from, c.host, c.headers...); w.Code != 200 {
			t.Errorf("%s: metrics are for everybody: %d", c.name, w.Code)
		}
	}
}

// Profiles are served where they are asked for, without the command line.
func TestProfiles(t *testing.T) {
	for _, on := range []bool{false, true} {
		h := newHandler(Setup{
			Stats: statsOf(full()), Ready: isReady(true), Version: "v", Logger: zerolog.Nop(),
			Profiles: on,
		})
		for path, code := range map[string]int{
			"/debug/pprof/": 200, "/debug/pprof/goroutine?debug=1": 200, "/debug/pprof/heap": 200, "/debug/pprof/cmdline": 404,
			"/debug/vars": 404,
		} {
			if !on {
				code = 404
			}
			if w := asked(h, "GET", path, "", "127.0.0.1:4711", "localhost"); w.Code != code {
				t.Errorf("profiles %v: GET %s: %d, want %d", on, path, w.Code, code)
			}
		}
	}
}

func TestLevel(t *testing.T) {
	level := zerolog.GlobalLevel()
	t.Cleanup(func() { zerolog.SetGlobalLevel(level) })
	var out bytes.Buffer
	logger := Adjustable(zerolog.New(&out).Level(zerolog.WarnLevel))
	h := newHandler(Setup{Stats: statsOf(full()), Ready: isReady(true), Version: "v", Logger: logger})
	for _, c := range []struct {
		method, body string
		code         int
		answer       string
		logs         string // what is logged after it of a line at each level
	}{
		{"GET", "", 200, "warn\n", "warn error"},
		{"PUT", "debug", 200, "debug\n", "debug info warn error"},
		{"GET", "", 200, "debug\n", "debug info warn error"},
		{"PUT", "loud", 400, "the body is the level: debug, info, warn, error\n", "debug info warn error"},
		{"PUT", "trace", 400, "the body is the level: debug, info, warn, error\n", "debug info warn error"},
		{"PUT", "", 400, "the body is the level: debug, info, warn, error\n", "debug info warn error"},
		{"PUT", strings.Repeat(" ", maxLevel) + "info", 400, "the body is the level: debug, info, warn, error\n", "debug info warn error"},
		{"PUT", " info\n", 200, "info\n", "info warn error"},
		{"PUT", "error", 200, "error\n", "error"},
		{"POST", "info", 405, "Method Not Allowed\n", "error"},
	} {
		before := zerolog.GlobalLevel()
		out.Reset()
		w := asked(h, c.method, "/log/level", c.body, "127.0.0.1:4711", "localhost")
		if w.Code != c.code || w.Body.String() != c.answer {
			t.Errorf("%s %q: %d %q, want %d %q", c.method, c.body, w.Code, w.Body, c.code, c.answer)
		}
		told := strings.Contains(out.String(), "log level changes")
		if seen := min(before, zerolog.GlobalLevel()) <= zerolog.InfoLevel; told != (seen && c.method == "PUT" &&
			c.code == 200) {
			t.Errorf("%s %q logged %q", c.method, c.body, out.String())
		}
		var logged []string
		for _, level := range levels() {
			out.Reset()
			at, _ := zerolog.ParseLevel(level)
			if logger.WithLevel(at).Msg("a line"); out.Len() > 0 {
				logged = append(logged, level)
			}
		}
		if got := strings.Join(logged, " "); got != c.logs {
			t.Errorf("after %s %q these are logged: %s, want %s", c.method, c.body, got, c.logs)
		}
	}
}
