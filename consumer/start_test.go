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
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

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
		}, broker.Transient},
		{"a topic that is missing", func(s *Setup) {
			s.Sources[0].Topics = []string{"nows"}
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

// moving fails one kind of request until it is removed, from when the other kind was asked first; 0: from the start.
func (w *world) moving(key kmsg.Key, err *kerr.Error, after kmsg.Key) *kfake.FaultHandle {
	begun := after == 0
	return w.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{key, after}, Err: err, Count: -1,
		When: func(r kmsg.Request) bool {
			begun = begun || r.Key() == after.Int16()
			return begun && r.Key() == key.Int16()
		},
	})
}

// Coordinators and leaders that move while a process starts are waited for, and the log says so.
func TestStartWaitsForCoordinators(t *testing.T) {
	t.Parallel()
	const fencing = "Kafka does not hand over the transactional ids"
	for _, c := range []struct {
		key   kmsg.Key
		err   *kerr.Error
		after kmsg.Key
		says  string
	}{
		{kmsg.InitProducerID, kerr.ConcurrentTransactions, 0, fencing},
		{kmsg.FindCoordinator, kerr.CoordinatorNotAvailable, 0, "Kafka cannot be used yet"},
		{kmsg.ListOffsets, kerr.LeaderNotAvailable, 0, "Kafka cannot be used yet"},
		{kmsg.ListOffsets, kerr.LeaderNotAvailable, kmsg.InitProducerID, "the journal's begin and end cannot be read"},
	} {
		t.Run(c.says+" "+c.err.Message, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 2)
			w.produce(20, 71)
			said := w.logged()
			moving := w.moving(c.key, c.err, c.after)
			w.start(named("m"), sessions(1), func(s *Setup) { s.Params.StartTimeout = time.Hour })
			w.becomes("the log says: "+c.says, func() bool { return said.has(c.says) })
			moving.Remove()
			w.settled()
			w.audited()
		})
	}
}

// A cluster that makes the topic of its first transaction may take longer than one fencing. The start goes on.
func TestStartOutlastsAFencing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.produce(20, 71)
	said := w.logged()
	making := w.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.FindCoordinator}, Err: kerr.CoordinatorNotAvailable, Count: -1,
		When: func(r kmsg.Request) bool {
			find, is := r.(*kmsg.FindCoordinatorRequest)
			return is && find.CoordinatorType == 1 // of a transaction
		},
	})
	w.start(named("m"), sessions(1), func(s *Setup) { s.Params.TransactionTimeout, s.Params.StartTimeout = time.Second, 0 })
	w.becomes("a fencing has ended, and the log says so", func() bool { return said.has("Kafka cannot be used yet") })
	making.Remove()
	w.settled()
	w.audited()
}

// What Kafka cannot do in time ends the start with what Kafka said, and with a remedy.
func TestStartEndsWithARemedy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key kmsg.Key
		err *kerr.Error
	}{{kmsg.InitProducerID, kerr.ConcurrentTransactions}, {kmsg.ListOffsets, kerr.LeaderNotAvailable}} {
		t.Run(c.err.Message, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1)
			w.moving(c.key, c.err, 0)
			m := w.launch(named("m"), sessions(1), func(s *Setup) {
				s.Params.TransactionTimeout, s.Params.StartTimeout, s.Params.CoordinatorTimeout = 0, 0, 0
			})
			w.await("the start does not end", m.ended)
			var fault *broker.Fault
			if err := m.wait(); !errors.As(err, &fault) || fault.Remedy == "" || !errors.Is(err, c.err) {
				t.Errorf("the start ends with %v; want %s, with a remedy", err, c.err.Message)
			}
		})
	}
}
