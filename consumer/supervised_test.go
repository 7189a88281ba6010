package consumer

import (
	"context"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/retry"
)

// supervised is a member that is started again whenever it ends, as by a supervisor of processes. All its lives share
// one network.
type supervised struct {
	w       *world
	change  []func(*Setup)
	network *network
	stop    func()

	mu    sync.Mutex
	lives []*running
}

func (w *world) supervise(change ...func(*Setup)) *supervised {
	w.t.Helper()
	s := &supervised{w: w, network: newNetwork()}
	s.change = append(change, func(setup *Setup) { setup.Kafka = append(setup.Kafka, kgo.Dialer(s.network.dial)) })
	w.t.Cleanup(s.network.sever)
	s.begin()
	return s
}

func (s *supervised) begin() {
	s.w.t.Helper()
	ctx, cancel := context.WithCancel(s.w.ctx)
	m, done := s.launch(), make(chan struct{})
	go func() {
		defer close(done)
		for ; ; m = s.launch() {
			select {
			case <-m.ended:
				s.w.t.Logf("a member ended: %v", m.err)
			case <-ctx.Done():
				m.cancel()
				<-m.ended
				return
			}
			if retry.Pause(ctx, 50*time.Millisecond) != nil {
				return
			}
		}
	}()
	s.stop = func() {
		cancel()
		<-done
	}
	s.w.t.Cleanup(s.stop)
}

func (s *supervised) launch() *running {
	m := s.w.launch(s.change...)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lives = append(s.lives, m)
	return m
}

// tally returns how often sessions were rebuilt in all lives, and the errors of lives that ended unasked.
func (s *supervised) tally() (rebuilds uint64, endings []error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.lives {
		rebuilds += m.Stats().Rebuilds
		select {
		case <-m.ended:
			if m.err != nil {
				endings = append(endings, m.err)
			}
		default:
		}
	}
	return rebuilds, endings
}

// since returns what has happened since a tally: how the last life ended, or that sessions were rebuilt.
func (s *supervised) since(rebuilds uint64, endings []error) string {
	r, e := s.tally()
	switch {
	case len(e) > len(endings):
		return e[len(e)-1].Error()
	case r > rebuilds:
		return rebuilt
	}
	return goesOn
}

// provoke says how a request is brought about after fail has prepared its failure. If no heartbeat is waited for, a
// session survives a machine that stands still for a while.
type provoke struct {
	do       func(w *world, s *supervised, fail func())
	sessions int
	timeout  time.Duration // of a session
}

var (
	bySending        = provoke{send, 2, 15 * time.Second}
	byWaiting        = provoke{send, 2, 2 * time.Second}
	byRevocation     = provoke{revoke, 2, 2 * time.Second}
	byLeaving        = provoke{leave, 1, 15 * time.Second}
	byStarting       = provoke{startAgain, 1, 15 * time.Second}
	bySettingOffsets = provoke{setAgain, 1, 15 * time.Second}
)

func send(w *world, _ *supervised, fail func()) {
	fail()
	w.produce(30, uint64(w.total))
}

func revoke(w *world, s *supervised, fail func()) {
	send(w, s, fail)
	w.visit()
}

func leave(w *world, s *supervised, fail func()) {
	send(w, s, fail)
	s.stop()
	s.begin()
}

func startAgain(w *world, s *supervised, fail func()) {
	s.stop()
	send(w, s, fail)
	s.begin()
}

func setAgain(w *world, s *supervised, fail func()) {
	s.stop()
	w.left()
	w.setOffsets(func(_ int32, at int64) int64 { return at })
	send(w, s, fail)
	s.begin()
}

// left waits until nobody is in the group.
func (w *world) left() {
	w.t.Helper()
	if _, err := w.cluster.WaitGroupInfo(w.context(), w.setup.Params.Group, func(g *kfake.GroupInfo) bool {
		return g == nil || len(g.Members) == 0
	}); err != nil {
		w.t.Errorf("somebody stays in the group: %v", err)
	}
}

// visit lets another member join and leave.
func (w *world) visit() {
	w.t.Helper()
	m := w.start(named("visitor"), func(s *Setup) { s.Params.Sessions = 1 })
	ctx, cancel := context.WithTimeout(w.context(), 15*time.Second)
	defer cancel()
	if _, err := w.cluster.WaitGroupInfo(ctx, w.setup.Params.Group, func(g *kfake.GroupInfo) bool {
		if g == nil || g.State != "Stable" {
			return false
		}
		for _, m := range g.Members {
			if m.InstanceID != nil && *m.InstanceID == "visitor-s0" && m.NumAssigned() > 0 {
				return true
			}
		}
		return false
	}); err != nil {
		w.t.Errorf("the visitor got no partitions: %v", err)
	}
	if err := m.stop(); err != nil {
		w.t.Errorf("visitor: %v", err)
	}
}

// setOffsets commits offsets as a person does with Kafka's tools: while nobody is in the group, and without metadata.
func (w *world) setOffsets(to func(partition int32, committed int64) int64) {
	w.t.Helper()
	if err := w.trySetOffsets(to); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) trySetOffsets(to func(partition int32, committed int64) int64) error {
	w.t.Helper()
	admin := kadm.NewClient(w.client())
	committed, err := admin.FetchOffsets(w.context(), w.setup.Params.Group)
	if err != nil {
		w.t.Fatal(err)
	}
	var offsets kadm.Offsets
	committed.Each(func(o kadm.OffsetResponse) {
		offsets.AddOffset(o.Topic, o.Partition, to(o.Partition, o.At), -1)
	})
	return admin.CommitAllOffsets(w.context(), w.setup.Params.Group, offsets)
}
