package consumer

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/cluster"
)

// Kafka refuses the first records of a transaction while the one before still ends. Each refusal costs a tenth of a
// second, and not the five seconds that the client library waits between two looks at the metadata.
func TestRefusedRecordsAreSoonRepeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	p := broker.DefaultParams()
	p.Brokers = w.cluster.ListenAddrs()
	opts, err := broker.Options(p, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	w.setup.Kafka, w.setup.Params.TransactionTimeout = opts, 2*time.Minute
	w.start(named("m"))
	w.produce(20, 61)
	w.settled()
	const times = 60 // so many waits of five seconds are longer than the harness waits for anything
	refused := w.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.Produce}, Topic: "news.unique",
		Err: kerr.ConcurrentTransactions, Count: times,
	})
	w.produce(20, 62)
	w.settled()
	if err := refused.Wait(w.context(), times); err != nil {
		t.Fatal(err)
	}
	w.audited()
}

// neverFenced lets Kafka answer every attempt to fence these ids as it does while markers cannot be written. It returns
// a channel that is closed when all of them were tried.
func (w *world) neverFenced(ids ...string) <-chan struct{} {
	var mu sync.Mutex
	left, all := slices.Clone(ids), make(chan struct{})
	w.cluster.ControlKey(kmsg.InitProducerID.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		w.cluster.KeepControl()
		id := req.(*kmsg.InitProducerIDRequest).TransactionalID
		if id == nil || !slices.Contains(ids, *id) {
			return nil, nil, false
		}
		mu.Lock()
		defer mu.Unlock()
		if had := len(left); had > 0 {
			if left = slices.DeleteFunc(left, func(other string) bool { return other == *id }); len(left) == 0 {
				close(all)
			}
		}
		resp := req.ResponseKind().(*kmsg.InitProducerIDResponse)
		resp.ErrorCode = kerr.ConcurrentTransactions.Code
		return resp, nil, true
	})
	return all
}

// The open transactions of dead members are ended at once for all of them, and delay whoever takes over only for a
// bounded time.
func TestFencingTheDeadIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.setup.Params.TransactionTimeout = 5 * time.Minute
	ids := []string{"unecho/dead-s0", "unecho/dead-s1", "unecho/dead-s2"}
	w.create("elsewhere", 1, nil)
	for _, id := range ids {
		w.begins(id, &kgo.Record{Topic: "elsewhere", Value: []byte("not yet")})
	}
	all := w.neverFenced(ids...)
	w.produce(20, 63)
	w.start(named("m"), sessions(1))
	w.await("not all are fenced at once", all)
	w.settled()
	if open := w.openTransactions(); !slices.Equal(open, ids) {
		t.Errorf("open: %v, want all of the dead, whose time-out nobody waited for", open)
	}
	w.audited()
}

// A slot that came back after its transaction was found open is left alone.
func TestWhoCameBackIsNotFenced(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.patient()
	const id = "unecho/m-s0"
	m := w.start(named("m"), sessions(1))
	w.produce(20, 64)
	w.settled()
	fenced := w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.InitProducerID}, Observe: true})
	other := &cluster.Cluster{Group: m.setup.Params.Group, TransactionTimeout: time.Minute, Client: m.follower().
		Log.Client(), Logger: m.setup.Logger}
	other.FenceIfDead(w.context(), id)
	if n := fenced.Hits(); n > 0 {
		t.Errorf("a member at work was fenced, %d times", n)
	}
	other.FenceIfDead(w.context(), "unecho/dead-s0")
	if err := fenced.Wait(w.context(), 1); err != nil {
		t.Errorf("the dead was not fenced: %v", err)
	}
	w.produce(20, 65)
	w.settled()
	if n := m.Stats().Rebuilds; n > 0 {
		t.Errorf("%d sessions were built anew", n)
	}
}

// An open transaction of a dead member that cannot be fenced is waited for, and the log names the partitions.
func TestWaitForOpenTransactionIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.setup.Params.TransactionTimeout = 15 * time.Second // a busy machine takes some of it until the survivor asks
	dead := w.start(named("dead"), sessions(1))
	w.produce(20, 66)
	w.settled()
	late := dead.network.hold(kmsg.EndTxn)
	w.produce(20, 67)
	w.await("no transaction ends", late.met)
	w.neverFenced("unecho/dead-s0")
	dead.kill()
	said := w.logged()
	survivor := w.start(named("survivor"), sessions(1), func(s *Setup) { s.waited = cluster.StablePatience })
	w.settled()
	w.ended(survivor)
	if !said.has(`"partitions":["news/0"],"message":"a transaction is still open on committed offsets`) {
		t.Error("nothing says what is waited for")
	}
	w.audited()
}

// The log says where the time went, from the start to the first document.
func TestPhasesAreLogged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	said := w.logged()
	m := w.start(named("m"), sessions(1))
	w.produce(20, 68)
	w.settled()
	w.ended(m)
	for message, want := range map[string][]string{
		"ready":          {"connect", "name", "fence", "restore", "catch_up", "partitions", "took"},
		"reading begins": {"join", "fence", "settle", "client", "topics", "journal", "stable", "decide", "took"},
	} {
		line := ""
		for l := range strings.Lines(said.text.String()) {
			if strings.Contains(l, `"message":"`+message+`"`) {
				line = l
			}
		}
		at := 0
		for _, phase := range want {
			next := strings.Index(line[at:], `"`+phase+`_ms":`)
			if next < 0 {
				t.Errorf("%s: no %s, or not in its place: %s", message, phase, line)
				break
			}
			at += next
		}
	}
}
