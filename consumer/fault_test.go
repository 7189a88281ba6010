package consumer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/unecho/unecho/consumer/retry"
)

// Every request that the service relies on fails in every way that matters, before and after it has taken effect. The
// table says what must follow, and the audit finds the outputs right.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, f := range failures() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			f.try(t, f.fails)
		})
	}
}

// Between any request and its answer, or just before the request, all coordinators and leaders move, twice.
func TestCoordinatorsAndLeadersMove(t *testing.T) {
	t.Parallel()
	for _, f := range failures() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			f.try(t, []comes{before(unclear, errs{moves}), after(unclear, errs{moves})}, kfake.NumBrokers(3))
		})
	}
}

// try has a supervised member work while requests fail, and audits the outputs.
func (f *failing) try(t *testing.T, fails []comes, opts ...kfake.Opt) {
	t.Helper()
	if f.old {
		opts = append(opts, kfake.MaxVersions(kversion.V3_5_0()))
	}
	w := newWorld(t, 4, opts...)
	w.setup.Params.SessionTimeout, w.setup.Params.TransactionTimeout = f.by.timeout, 30*time.Second
	s := w.supervise(named("m"), sessions(f.by.sessions))
	w.produce(20, 6)
	w.settled()
	for _, c := range fails {
		for _, err := range c.errs {
			f.befalls(w, s, err, c)
		}
	}
	s.stop()
	if report := w.audit(); !report.OK() || report.Unique+report.Duplicate != w.total {
		t.Fatalf("%d documents sent, %s", w.total, report.String())
	}
}

// befalls lets requests fail, and checks what follows.
func (f *failing) befalls(w *world, s *supervised, err *kerr.Error, c comes) {
	w.t.Helper()
	want, what := c.outcome, err.Message+" before it takes effect"
	if c.done {
		what = err.Message + " after it took effect"
	}
	began := time.Now()
	rebuilds, endings := s.tally()
	var h injected
	f.by.do(w, s, func() { h = w.inject(s.network, f, err, c.done) })
	if h.wait(w.context()) != nil {
		w.t.Errorf("%s never happened", what)
	}
	w.settled()
	h.remove()
	w.produce(10, uint64(w.total))
	w.settled()
	got := func() string { return s.since(rebuilds, endings) }
	ctx, cancel := context.WithTimeout(w.context(), 10*time.Second)
	defer cancel()
	for want != unclear && want != goesOn && got() == goesOn && retry.Pause(ctx, 10*time.Millisecond) == nil {
		continue // it may be noticed only later
	}
	took := fmt.Sprintf("%s, %s, %d ms: %s", f.name, what, time.Since(began).Milliseconds(),
		strings.ReplaceAll(got(), "\n", " "))
	w.t.Log(took)
	if !strings.Contains(got(), want) && (want != unclear || got() != goesOn && got() != rebuilt) {
		w.t.Errorf("%s; want: %s", took, want)
	}
}

// injected is a fault that waits for its request.
type injected struct {
	wait   func(context.Context) error // until it has happened
	remove func()
}

// inject prepares a fault of the next two requests.
func (w *world) inject(n *network, f *failing, err *kerr.Error, done bool) injected {
	const times = 2
	if !done && err != cut && err != moves {
		h := w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{f.key}, Topic: f.topic, When: ofMember, Err: err, Count: times})
		return injected{func(ctx context.Context) error { return h.Wait(ctx, 1) }, h.Remove}
	}
	met := make(chan struct{})
	l := loss{count: times, match: w.about(f.topic), unsent: !done, err: err, met: met}
	switch err {
	case cut:
		l.err = nil
	case moves:
		l.do = func() {
			w.cluster.RehashCoordinators()
			w.cluster.ShufflePartitionLeaders()
		}
	}
	n.lose(f.key, l)
	return injected{func(ctx context.Context) error {
		select {
		case <-met:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}, func() { n.lose(f.key, loss{}) }}
}

// about matches requests about a topic, as far as a request tells that.
func (w *world) about(topic string) func(kmsg.Request) bool {
	if topic == "" {
		return nil
	}
	id := w.cluster.TopicInfo(topic).TopicID
	return func(req kmsg.Request) bool {
		switch req := req.(type) {
		case *kmsg.ProduceRequest:
			return slices.ContainsFunc(req.Topics,
				func(t kmsg.ProduceRequestTopic) bool { return t.Topic == topic || t.TopicID == id })
		case *kmsg.FetchRequest:
			return (req.IsolationLevel == 1) == (topic == "news") // a fetch within a fetch session need not name the topic
		case *kmsg.MetadataRequest:
			return slices.ContainsFunc(req.Topics,
				func(t kmsg.MetadataRequestTopic) bool { return t.Topic != nil && *t.Topic == topic })
		}
		return true
	}
}

// ofMember matches requests of the member under test, and not those of visitors or of the test.
func ofMember(req kmsg.Request) bool {
	var instance *string
	switch req := req.(type) {
	case *kmsg.JoinGroupRequest:
		instance = req.InstanceID
	case *kmsg.SyncGroupRequest:
		instance = req.InstanceID
	case *kmsg.HeartbeatRequest:
		instance = req.InstanceID
	case *kmsg.OffsetCommitRequest:
		instance = req.InstanceID
	case *kmsg.LeaveGroupRequest:
		instance = req.Members[0].InstanceID
	default:
		return true
	}
	return instance != nil && strings.HasPrefix(*instance, "m-")
}
