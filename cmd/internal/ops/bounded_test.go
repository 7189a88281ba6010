package ops

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// TestConnectionsAreBounded: one more of a peer than may be is closed at once, and closing one makes room.
func TestConnectionsAreBounded(t *testing.T) {
	inner, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	accepted := make(chan net.Conn, maxConnections)
	l := newBounded(inner)
	served := make(chan struct{})
	go func() {
		defer close(served)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	dial := func() net.Conn {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	var first net.Conn
	for range maxOfPeer {
		dial()
		if c := <-accepted; first == nil {
			first = c
		}
	}
	extra := dial()
	_ = extra.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := extra.Read(make([]byte, 1)); err == nil || strings.Contains(err.Error(), "timeout") {
		t.Errorf("one too many is not closed: %v", err)
	}
	_ = first.Close()
	_ = first.Close() // it counts once
	dial()
	select {
	case <-accepted:
	case <-time.After(10 * time.Second):
		t.Error("one that was closed makes no room")
	}
	if !l.takes("10.0.0.1") {
		t.Error("another peer is kept away")
	}
	l.all = maxConnections
	if l.takes("10.0.0.2") {
		t.Error("more than all")
	}
	_ = inner.Close()
	<-served
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
