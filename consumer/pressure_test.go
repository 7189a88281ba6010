package consumer

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// slowly lets a topic accept so many bytes a second, however they are divided into requests.
func (w *world) slowly(topic string, bytesPerSecond int) (requests *atomic.Int64) {
	requests = new(atomic.Int64)
	id := w.cluster.TopicInfo(topic).TopicID
	w.cluster.ControlKey(kmsg.Produce.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		w.cluster.KeepControl()
		bytes := 0
		for _, t := range req.(*kmsg.ProduceRequest).Topics {
			for _, p := range t.Partitions {
				if t.Topic == topic || t.TopicID == id {
					bytes += len(p.Records)
				}
			}
		}
		if bytes > 0 {
			requests.Add(1)
			w.cluster.SleepControl(func() { <-time.After(time.Duration(bytes) * time.Second / time.Duration(bytesPerSecond)) })
		}
		return nil, nil, false
	})
	return requests
}

// An output takes longer for a full batch than the broker keeps a transaction open. Smaller batches get through.
func TestSlowOutput(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.setup.Params.TransactionTimeout, w.setup.Params.PollRecords, w.setup.Params.Sessions = time.Second, 1000, 1
	m := w.start()
	w.produce(10, 1)
	w.settled()
	requests := w.slowly("news.unique", 30_000)
	w.produce(2000, 2) // the unique ones of a thousand, some 100 bytes each on the wire, would take 2 s
	w.settled()
	if requests.Load() == 0 {
		t.Error("the output was not slow")
	}
	if commits := m.Stats().Commits; commits < 6 {
		t.Errorf("%d transactions, %d sessions built anew: it went on with full batches", commits, m.Stats().Rebuilds)
	}
	w.audited()
}

// With a slow journal the lag grows, and nothing else happens: no session is built anew.
func TestSlowJournal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.setup.Params.PollRecords = 200
	// whatever the machine does
	w.setup.Params.SessionTimeout, w.setup.Params.TransactionTimeout = 9*time.Second, 30*time.Second
	m := w.start()
	w.produce(10, 1)
	w.settled()
	rebuilds := m.Stats().Rebuilds
	requests := w.slowly("unecho.journal", 25_000)
	began := time.Now()
	w.produce(2000, 2)
	w.settled()
	if took := time.Since(began); took < w.setup.Params.SessionTimeout {
		t.Errorf("it took %v: so slow a journal does not show whether the group still hears of the member", took)
	}
	if requests.Load() == 0 || m.Stats().Rebuilds != rebuilds {
		t.Errorf("%d slow requests, %d sessions built anew", requests.Load(), m.Stats().Rebuilds-rebuilds)
	}
	w.audited()
}

// A transaction takes so long that the broker has ended it, and the abort fails as well. The next one is smaller all
// the same.
func TestSlowAndEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.setup.Params.TransactionTimeout, w.setup.Params.PollRecords, w.setup.Params.Sessions = time.Second, 1000, 1
	m := w.start()
	w.produce(10, 3)
	w.settled()
	before := m.Stats().Commits
	w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "news.unique", Err: kerr.InvalidRequiredAcks})
	w.cluster.ControlKey(kmsg.EndTxn.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		if req.(*kmsg.EndTxnRequest).Commit {
			w.cluster.KeepControl()
			return nil, nil, false
		}
		w.cluster.SleepControl(func() { <-time.After(600 * time.Millisecond) })
		ended := req.ResponseKind().(*kmsg.EndTxnResponse)
		ended.ErrorCode = kerr.InvalidProducerEpoch.Code
		return ended, nil, true
	})
	w.produce(1000, 4)
	w.settled()
	w.becomes("it goes on with less", func() bool { return m.Stats().Commits >= before+2 }) // counted after the commit
	if got := m.Stats().Rebuilds; got != 1 {
		t.Errorf("%d sessions built anew", got)
	}
	w.ended(m)
	if stats := m.Stats(); stats.Latency.Forward.Count <= stats.Commits {
		t.Errorf("%d transactions, the time of %d batches: that of what failed is not counted", stats.Commits,
			stats.Latency.Forward.Count)
	}
	w.audited()
}
