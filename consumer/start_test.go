package consumer

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
)

// outage is a network on which no broker can be reached until the log says that a start waits for one.
type outage struct {
	over chan struct{}
	once sync.Once
	dial func(context.Context, string, string) (net.Conn, error) // used during the outage
}

func (o *outage) Dial(ctx context.Context, kind, address string) (net.Conn, error) {
	select {
	case <-o.over:
		return new(net.Dialer).DialContext(ctx, kind, address)
	default:
		return o.dial(ctx, kind, address)
	}
}

// Write reads the log. The outage ends when the log mentions it.
func (o *outage) Write(line []byte) (int, error) {
	if strings.Contains(string(line), "Kafka cannot be used yet") {
		o.once.Do(func() { close(o.over) })
	}
	return len(line), nil
}

func refuses(context.Context, string, string) (net.Conn, error) {
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
}

// hangsUp connects to a broker that is starting, or to a proxy before one: the connection is closed at once.
func hangsUp(ctx context.Context, _, _ string) (net.Conn, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer ln.Close()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", ln.Addr().String())
	if err != nil {
		return nil, err
	}
	far, err := ln.Accept()
	return conn, errors.Join(err, far.Close())
}

// A start while a broker is away waits for it, and goes on when the broker is back.
func TestStartWaitsForKafka(t *testing.T) {
	t.Parallel()
	for name, dial := range map[string]func(context.Context, string, string) (net.Conn,
		error){"refuses": refuses, "hangs up": hangsUp} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 2)
			w.produce(20, 71)
			o := &outage{over: make(chan struct{}), dial: dial}
			w.start(named("m"), sessions(1), func(s *Setup) {
				s.Kafka = append(s.Kafka, kgo.Dialer(o.Dial))
				s.Logger, s.Params.StartTimeout = zerolog.New(o), time.Hour
			})
			w.settled()
			w.audited()
		})
	}
}

// Trouble that does not pass ends the start: an outage after its time is over, anything else at once.
func TestStartEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*Setup)
		is     func(error) bool
	}{
		{"an outage that lasts", func(s *Setup) {
			s.Kafka = append(s.Kafka, kgo.Dialer(refuses))
			s.Params.StartTimeout = 600 * time.Millisecond
		}, func(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }},
		{"hanging up that lasts", func(s *Setup) {
			s.Kafka = append(s.Kafka, kgo.Dialer(hangsUp))
			s.Params.StartTimeout = 0
		}, broker.Passing},
		{"a topic that is missing", func(s *Setup) {
			s.Source.Topics = []string{"nows"}
			s.Params.StartTimeout = time.Hour
		}, func(err error) bool { return errors.Is(err, broker.ErrMissing) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1)
			m := w.launch(c.change)
			w.await("the start does not end", m.ended)
			if err := m.wait(); !c.is(err) {
				t.Errorf("got %v", err)
			}
		})
	}
}
