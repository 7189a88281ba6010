package ops

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// place is a connection as a listener gives it.
type place struct {
	net.Conn
	closed bool
}

func (p *place) Close() error {
	p.closed = true
	return nil
}

// TestConnectionsAreBounded: one more than may be takes the place of the one that has been idle the longest, of its own
// peer first. One that is being answered keeps its place.
func TestConnectionsAreBounded(t *testing.T) {
	b := newBounded(nil)
	take := func(peer string) (*counted, *place) {
		p := &place{}
		return b.takes(p, peer), p
	}
	var all []*counted
	var places []*place
	for i := range maxConnections {
		c, p := take(fmt.Sprintf("10.0.0.%d", i%(maxConnections/maxOfPeer)))
		all, places = append(all, c), append(places, p)
	}
	if c, _ := take("10.0.0.1"); c == nil || !places[1].closed || places[0].closed {
		t.Fatalf("one more of a peer that has all: taken %v, its oldest closed %v, the oldest of another %v; want true, true, false",
			c != nil, places[1].closed, places[0].closed)
	}
	if c, _ := take("10.0.0.9"); c == nil || !places[0].closed {
		t.Fatalf("one more of all: taken %v, the oldest closed %v; want both", c != nil, places[0].closed)
	}
	_ = all[0].Close() // by the server, which notices
	if b.all != maxConnections || len(b.ofPeer) != 5 || b.ofPeer["10.0.0.9"] != 1 {
		t.Errorf("want %d connections of 5 peers, got %d, %v", maxConnections, b.all, b.ofPeer)
	}
	for _, c := range all {
		c.change(false)
	}
	last, lastPlace := take("10.0.0.2")
	if last != nil || lastPlace.closed || places[2].closed {
		t.Error("a request that is being answered makes room")
	}
	all[2].change(true)
	if c, _ := take("10.0.0.2"); c == nil || !places[2].closed {
		t.Error("one that was answered makes no room")
	}
	for _, c := range all {
		_ = c.Close()
		_ = c.Close() // it counts once
	}
	if b.all != 3 || b.idle.Len() != 3 {
		t.Errorf("want the 3 that came late, got %d, of which %d idle", b.all, b.idle.Len())
	}
}

// TestProbesPassIdleConnections: as many connections as may be, from four addresses and without a request, or with a
// half one, do not keep a probe away.
func TestProbesPassIdleConnections(t *testing.T) {
	r := start(t, statsOf(full()), isReady(true))
	for i := range maxConnections {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(2+i%(maxConnections/maxOfPeer)))}}
		c, err := d.DialContext(t.Context(), "tcp", r.Addr())
		if err != nil {
			t.Skipf("this machine has no second address of its own: %v", err)
		}
		t.Cleanup(func() { _ = c.Close() })
		if i%2 == 0 {
			if _, err := io.WriteString(c, "GET /live HTTP/1.1\r\n"); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, path := range []string{"/live", "/ready", "/metrics"} {
		for range 3 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.Addr()+path, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			resp, err := client.Do(req)
			if err != nil {
				t.Fatalf("a probe of %s: want an answer within a second, got %v", path, err)
			}
			_ = resp.Body.Close()
			cancel()
			if resp.StatusCode != http.StatusOK {
				t.Errorf("a probe of %s: want 200, got %d", path, resp.StatusCode)
			}
		}
	}
}

// TestComplaintsAreBounded: a client that goes wrong all the time does not fill the log.
func TestComplaintsAreBounded(t *testing.T) {
	var out bytes.Buffer
	w, now := newTroubles(zerolog.New(&out)), time.Unix(1_700_000_000, 0)
	w.now = func() time.Time { return now }
	for i := range 1000 {
		_, _ = fmt.Fprintf(w, "http: TLS handshake error %d", i)
	}
	if lines := strings.Count(out.String(), "\n"); lines != maxComplaints {
		t.Errorf("%d lines", lines)
	}
	now = now.Add(complaintsEvery)
	_, _ = io.WriteString(w, "http: again")
	if !strings.Contains(out.String(), `"left_out":990`) {
		t.Errorf("what was left out is not told: %s", out.String()[out.Len()-200:])
	}
}
