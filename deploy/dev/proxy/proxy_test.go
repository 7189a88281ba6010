package proxy_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/unecho/unecho/deploy/dev/proxy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo starts a server that sends back what it gets, and a proxy before it.
func echo(t *testing.T) *proxy.Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_, _ = io.Copy(conn, conn)
			}()
		}
	}()
	p, err := proxy.New(t.Context(), l.Addr().String())
	check(t, err)
	t.Cleanup(func() {
		p.Close()
		check(t, l.Close())
		<-done
	})
	return p
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func dial(t *testing.T, p *proxy.Proxy) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", p.Address())
	check(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// exchange sends a byte and waits for it to come back.
func exchange(conn net.Conn, bound time.Duration) error {
	if err := conn.SetDeadline(time.Now().Add(bound)); err != nil {
		return err
	}
	_, err := conn.Write([]byte{1})
	if err == nil {
		_, err = io.ReadFull(conn, make([]byte, 1))
	}
	return err
}

const patience = 30 * time.Second

func TestCutAndMend(t *testing.T) {
	p := echo(t)
	conn := dial(t, p)
	check(t, exchange(conn, patience))
	p.Cut()
	if err := exchange(conn, patience); err == nil {
		t.Error("the connection is still there")
	}
	if other, err := net.Dial("tcp", p.Address()); err == nil {
		_ = other.Close()
		t.Error("a new one is let in")
	}
	check(t, p.Mend(context.Background()))
	check(t, exchange(dial(t, p), patience))
	p.Break()
	check(t, exchange(dial(t, p), patience))
}

func TestStallAndFlow(t *testing.T) {
	p := echo(t)
	conn := dial(t, p)
	check(t, exchange(conn, patience))
	p.Stall()
	if err := exchange(conn, 100*time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("stalled: got %v", err)
	}
	p.Flow()
	check(t, conn.SetDeadline(time.Now().Add(patience)))
	_, err := io.ReadFull(conn, make([]byte, 1)) // the delayed byte arrives after all
	check(t, err)
	check(t, exchange(conn, patience))
}

func TestSlow(t *testing.T) {
	const delay = 50 * time.Millisecond
	p := echo(t)
	p.Slow(delay)
	began := time.Now()
	check(t, exchange(dial(t, p), patience))
	if took := time.Since(began); took < 2*delay { // there and back
		t.Errorf("took %v", took)
	}
}
