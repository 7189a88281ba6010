package api

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/cmd/internal/api/shape"
	"github.com/unecho/unecho/index"
)

// TestStreamsGoOn: the id of an event goes on in the same process; in another one the stream says so and begins anew.
func TestStreamsGoOn(t *testing.T) {
	api, url := running(t.Context(), t)
	if first := firstEvent(t, url+"?after="+api.run+"-0"); !strings.HasPrefix(first, "id: "+api.run+"-1\n") {
		t.Errorf("in the same process: %s", first)
	}
	if first := firstEvent(t, url+"?after=another-17"); first != "event: restarted\ndata: {}" {
		t.Errorf("of another process: %s", first)
	}
	for _, wrong := range []string{"x", "-1", api.run + "-", api.run + "-x"} {
		if status, _ := ask(t.Context(), t, url+"?after="+wrong); status != http.StatusBadRequest {
			t.Errorf("the stream after %q is answered %d; want %d", wrong, status, http.StatusBadRequest)
		}
	}
}

// TestStreamGoesOnBehindTheList: who has the list misses nothing, also where the member is restarted before it finds
// another copy.
func TestStreamGoesOnBehindTheList(t *testing.T) {
	first, url := running(t.Context(), t)
	_, lines := ask(t.Context(), t, strings.TrimSuffix(url, "events")+"recent")
	var list shape.Recent
	if lines.Scan(); json.Unmarshal(lines.Bytes(), &list) != nil || list.After != first.event(1) || len(list.Copies) != 1 {
		t.Fatalf("the list is %s", lines.Text())
	}
	again, url := running(t.Context(), t)
	again.run = first.run + "0" // clocks are coarse
	if event := firstEvent(t, url+"?after="+list.After); event != "event: restarted\ndata: {}" {
		t.Errorf("behind the list of another process: %s", event)
	}
}

// TestStreamsEnd: a stream ends with the server, and the client sees its end.
func TestStreamsEnd(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	_, url := running(ctx, t)
	_, lines := ask(t.Context(), t, url)
	stop()
	for lines.Scan() {
		t.Log(lines.Text())
	}
	if lines.Err() != nil {
		t.Errorf("it breaks off: %v", lines.Err())
	}
}

func running(ctx context.Context, t *testing.T) (a *API, url string) {
	t.Helper()
	d := must(New(&Setup{
		Service: newFake(t), Index: index.DefaultParams(), Sources: anySource(), Access: Access{Loopback: true},
		Limits: Limits{RequestsPerS: 100, LookupsPerS: 100},
		Logger: zerolog.Nop(),
	}))(t)
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.Run(ctx)
	}()
	server := httptest.NewServer(d)
	t.Cleanup(func() {
		cancel()
		<-ended
		server.Close()
	})
	return d, server.URL + "/api/v1/events"
}

func ask(ctx context.Context, t *testing.T, url string) (status int, lines *bufio.Scanner) {
	t.Helper()
	req := must(http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody))(t)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp.StatusCode, bufio.NewScanner(resp.Body)
}

func firstEvent(t *testing.T, url string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, lines := ask(ctx, t, url)
	var event []string
	for lines.Scan() && lines.Text() != "" {
		event = append(event, lines.Text())
	}
	return strings.Join(event, "\n")
}

// TestScopeFilter: copies of one scope only, and a scope where there is none is no question.
func TestScopeFilter(t *testing.T) {
	service := newFake(t)
	scoped := serve(t, service, func(s *Setup) { s.Sources[0].Reading.Scope = "partition" })
	if _, got := scoped.do("GET", "/api/v1/recent?scope=3", ""); len(at(got, "copies").([]any)) != 0 {
		t.Errorf("another scope: %v", got)
	}
	if code, got := serve(t, service, nil).do("GET", "/api/v1/recent?scope=3", ""); code != http.StatusBadRequest ||
		got["remedy"] == "" {
		t.Errorf("a scope where documents have none is answered %d %v; want %d with a remedy", code, got, http.StatusBadRequest)
	}
}

// TestStreamsAreBounded: one more than the bound is refused, and closing one makes room.
func TestStreamsAreBounded(t *testing.T) {
	d := serve(t, newFake(t), nil)
	var last context.CancelFunc
	for range maxStreams {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if status, _, _ := d.open(ctx, "/api/v1/events"); status != http.StatusOK {
			t.Fatalf("one of the %d streams that may be open is answered %d; want %d", maxStreams, status, http.StatusOK)
		}
		last = cancel
	}
	if code, _ := d.do("GET", "/api/v1/events", ""); code != http.StatusTooManyRequests {
		t.Errorf("one too many: %d", code)
	}
	last()
	tick, enough := time.NewTicker(5*time.Millisecond), time.After(2*time.Minute)
	defer tick.Stop()
	for {
		ctx, cancel := context.WithCancel(t.Context())
		status, _, _ := d.open(ctx, "/api/v1/events")
		cancel()
		if status == http.StatusOK {
			return
		}
		select {
		case <-tick.C:
		case <-enough:
			t.Fatal("a stream that was closed makes no room")
		}
	}
}
