package consumer

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func sessions(n int) func(*Setup) { return func(s *Setup) { s.Params.Sessions = n } }

// await waits for a channel to be closed.
func (w *world) await(what string, c <-chan struct{}) {
	w.t.Helper()
	select {
	case <-c:
	case <-w.context().Done():
		w.t.Fatalf("waited in vain: %s (%v)", what, context.Cause(w.ctx))
	}
}

// A transaction ends and the outcome is unknown. If it was committed, its documents are not forwarded again; if not,
// they are.
func TestEndUnknown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		loss     loss
		rebuilds bool
	}{
		{"the answer is lost", loss{count: 1}, false}, // the client repeats it
		{"all answers are lost", loss{count: 8}, true},
		{"it never arrives", loss{count: 8, unsent: true}, true}, // one of two sessions has half of them
		{"done, and answered with an error", loss{count: 2, err: kerr.UnknownServerError}, true},
		{"done, and answered with another", loss{count: 2, err: kerr.InvalidTxnState}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 2)
			w.setup.Params.PollRecords = 50
			// longer than the harness waits for anything
			w.setup.Params.TransactionTimeout, w.setup.Params.SessionTimeout = 5*time.Minute, 5*time.Minute
			m := w.start(named("m"))
			w.produce(100, 11)
			w.settled()
			m.network.lose(kmsg.EndTxn, c.loss)
			w.produce(400, 12)
			w.settled()
			if (m.Stats().Rebuilds > 0) != c.rebuilds {
				t.Errorf("%d sessions were built anew", m.Stats().Rebuilds)
			}
			w.audited()
		})
	}
}

// The first commit of an epoch arrives after another member has taken the partition over. It is refused, and nothing of
// it reaches the journal.
func TestZombieCommitsAnEpoch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.produce(200, 13)
	zombie := w.start(named("zombie"), sessions(1))
	late := zombie.network.hold(kmsg.OffsetCommit)
	w.await("no commit of an epoch", late.met)
	zombie.network.hold(kmsg.Heartbeat)
	other := w.start(named("other"), sessions(1))
	w.settled()
	seen := w.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.OffsetCommit}, Observe: true,
		When: func(req kmsg.Request) bool {
			return strings.HasPrefix(*req.(*kmsg.OffsetCommitRequest).InstanceID, "zombie")
		},
	})
	zombie.network.release(kmsg.OffsetCommit)
	zombie.network.release(kmsg.Heartbeat)
	if err := seen.Wait(w.context(), 1); err != nil {
		t.Fatal(err)
	}
	w.joined(2) // the late member has its answer, and is back
	w.settled()
	w.produce(200, 14)
	w.settled()
	w.ended(other)
	w.produce(200, 15)
	w.settled()
	w.audited()
}

// A member is killed between its commit of offsets and the end of the transaction, whose time-out is longer than the
// harness waits for anything.
func TestOpenTransactionIsFenced(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		session time.Duration // time-out; the heartbeats are held back with the transaction's end
		next    func(w *world)
	}{
		{"by the slot that is back", 30 * time.Second, func(w *world) { w.start(named("dead"), sessions(1)) }},
		{"by survivors", 4 * time.Second, func(*world) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 4)
			w.setup.Params.TransactionTimeout, w.setup.Params.SessionTimeout = 5*time.Minute, c.session
			survivor := w.start(named("survivor"), sessions(1))
			dead := w.start(named("dead"), sessions(1))
			w.joined(2)
			w.produce(100, 16)
			w.settled()
			late := dead.network.hold(kmsg.EndTxn)
			w.produce(100, 17)
			w.await("no transaction ends", late.met)
			if c.name == "by the slot that is back" {
				w.ended(survivor) // no other member could commit the rest
			}
			dead.kill()
			w.becomes("another one than that of the dead is open", func() bool { return len(w.openTransactions()) == 1 })
			c.next(w)
			w.settled()
			if open := w.openTransactions(); len(open) != 0 {
				t.Errorf("all documents are out, and these transactions are open, want none: %v", open)
			}
			w.audited()
		})
	}
}

func (w *world) openTransactions() []string {
	w.t.Helper()
	listed, err := kadm.NewClient(w.client()).ListTransactions(w.context(), nil, []string{"Ongoing"})
	if err != nil {
		w.t.Fatal(err)
	}
	return listed.TransactionalIDs()
}

// joined waits until the group is stable and has n members.
func (w *world) joined(n int) {
	w.t.Helper()
	if _, err := w.cluster.WaitGroupStable(w.context(), w.setup.Params.Group, n); err != nil {
		w.t.Errorf("%d members did not join: %v", n, err)
	}
}

// A final shutdown leaves the group. A rolling restart stays in it, and comes back to the same partitions.
func TestLeaving(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	w.setup.Params.SessionTimeout = 20 * time.Second // only leaving removes a member so soon
	w.start(named("other"), sessions(1))
	m := w.start(named("m"))
	w.joined(3)
	w.produce(200, 18)
	w.settled()
	w.ended(m)
	if got := w.instances(); !slices.Equal(got, []string{"other-s0"}) {
		t.Errorf("after a shutdown: %v", got)
	}
	keep := func(s *Setup) { s.Params.KeepMembership = true }
	m = w.start(named("m"), keep)
	w.joined(3)
	w.produce(200, 19)
	w.settled()
	w.ended(m)
	if got := w.instances(); !slices.Equal(got, []string{"m-s0", "m-s1", "other-s0"}) {
		t.Errorf("in a rolling restart: %v", got)
	}
	w.start(named("m"), keep)
	w.produce(200, 20)
	w.settled()
	w.audited()
}

func (w *world) instances() (names []string) {
	for _, m := range w.cluster.GroupInfo(w.setup.Params.Group).Members {
		names = append(names, *m.InstanceID)
	}
	slices.Sort(names)
	return names
}

// All that a member sends and receives is delayed by more than its session lasts, from any moment on.
func TestDelayedZombie(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	w.setup.Params.PollRecords = 20
	w.start(named("other"), sessions(1))
	zombie := w.start(named("zombie"), sessions(1))
	w.joined(2)
	for i := range 3 {
		w.produce(400, uint64(21+i))
		zombie.network.freeze()
		w.settled()
		w.produce(200, uint64(31+i))
		zombie.network.thaw()
		w.settled()
	}
	w.audited()
}

// No broker answers, and the member ends nevertheless, soon after its time to drain is over.
func TestDrainIsBounded(t *testing.T) {
	t.Parallel()
	for _, kind := range []kmsg.Key{-1, kmsg.Produce, kmsg.TxnOffsetCommit, kmsg.EndTxn, kmsg.Heartbeat, kmsg.LeaveGroup} {
		name := kind.Name()
		if kind < 0 {
			name = "everything"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 2)
			m := w.start(named("m"), sessions(1), func(s *Setup) {
				s.Params.DrainTimeout, s.Params.TransactionTimeout = time.Second, 5*time.Minute
			})
			w.produce(100, 41)
			w.settled()
			if kind < 0 {
				m.network.freeze()
				w.produce(100, 42)
			} else {
				held := m.network.hold(kind)
				w.produce(100, 42)
				if kind != kmsg.LeaveGroup {
					w.await("it is never asked for", held.met)
				}
			}
			m.cancel()
			w.await("the member does not end", m.ended)
			m.network.sever()
			w.start(named("m"))
			w.settled()
			w.audited()
		})
	}
}

// After a failed produce the transaction must not be committed. The client's own end of a transaction would commit it.
func TestFailedProduceIsNotCommitted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.start(named("m"))
	w.produce(50, 43)
	w.settled()
	for i, topic := range []string{"news.unique", "news.duplicate"} {
		fault := w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: topic, Err: kerr.InvalidRequiredAcks, Count: 3})
		w.produce(50, uint64(44+i))
		if err := fault.Wait(w.context(), 1); err != nil {
			t.Fatal(err)
		}
		w.settled()
	}
	w.audited()
}
