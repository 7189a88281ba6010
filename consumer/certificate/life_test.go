package certificate

import (
	"bytes"
	"math"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/consumer/certificate/certificatetest"
)

func TestLife(t *testing.T) {
	begins := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	l := Life{Begins: begins, Ends: begins.Add(100 * time.Hour)}
	for hour, want := range map[float64]struct {
		left float64
		says string
	}{
		-1: {0, "is not valid before 2026-01-01 00:00 UTC"},
		0:  {1, ""}, 66: {0.34, ""}, 90: {0.1, ""},
		90.5: {0.095, "expires on 2026-01-05 04:00 UTC, and less than a tenth"},
		100:  {0, "has expired, on 2026-01-05 04:00 UTC"},
		5000: {0, "has expired"},
	} {
		now := begins.Add(time.Duration(hour * float64(time.Hour)))
		if got := l.Left(now); math.Abs(got-want.left) > 1e-9 {
			t.Errorf("after %v h: want %v left, got %v", hour, want.left, got)
		}
		if got := l.Trouble(now); !strings.HasPrefix(got, want.says) || (got == "") != (want.says == "") {
			t.Errorf("after %v h: want %q, got %q", hour, want.says, got)
		}
	}
}

// A certificate that nobody renews is told of while connections are open: once when little of its life is left, and once
// when it has expired. One in its place is looked at anew.
func TestItExpiresAtWork(t *testing.T) {
	ca := certificatetest.New(t)
	cert, _ := ca.Sign("client", certificatetest.OfClient()) // for two hours, of which one is over
	var log bytes.Buffer
	f, err := Open(Params{Section: "kafka.tls", CertFile: ca.Path("client.pem"), KeyFile: ca.Path("client.key")}, zerolog.New(&log))
	if err != nil {
		t.Fatal(err)
	}
	here, there := net.Pipe()
	defer func() { _ = there.Close() }()
	if err := here.Close(); err != nil {
		t.Fatal(err)
	}
	open := &conn{Conn: here, files: f}
	for _, c := range []struct {
		left time.Duration
		want string
	}{
		{time.Hour, ""},
		{5 * time.Minute, "expires on"},
		{4 * time.Minute, "expires on"},
		{-time.Minute, "has expired"},
		{-time.Hour, "has expired"},
	} {
		f.look(cert.NotAfter.Add(-c.left))
		if got := log.String(); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("with %v left the log is %q, want %q in it", c.left, got, c.want)
		}
	}
	if n := strings.Count(log.String(), "renew it"); n != 2 {
		t.Errorf("it is told %d times, want twice: %s", n, log.String())
	}
	log.Reset()
	f.watched.next, f.watched.told = time.Time{}, "" // as if it was never looked at
	f.watched.cert.Certificate[0] = nil              // and cannot be read
	if _, err := open.Read(make([]byte, 1)); err == nil || !strings.Contains(log.String(), "cannot be read") {
		t.Errorf("while a connection is read from, which ends with %v, the log is %q; want that the certificate is looked at", err, log.String())
	}
	log.Reset()
	f.watched.next, f.watched.told = time.Time{}, ""
	ca.Sign("client", certificatetest.OfClient()) // somebody has renewed it, and no connection was made since
	if _, err := open.Read(make([]byte, 1)); err == nil || strings.Contains(log.String(), "renew it") ||
		!strings.Contains(log.String(), "read again") {
		t.Errorf("when it was renewed and a connection is read from, which ends with %v, the log is %q; want that it was read again, "+
			"and no trouble", err, log.String())
	}
}
