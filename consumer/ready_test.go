package consumer

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/measure"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/phase"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/session"
)

// becomes waits for a condition that only asking again can find.
func (w *world) becomes(what string, is func() bool) {
	w.t.Helper()
	ctx := w.context()
	for !is() {
		if err := retry.Pause(ctx, 10*time.Millisecond); err != nil {
			w.t.Fatalf("waited in vain until %s: %v", what, err)
		}
	}
}

// A member whose journal does not know the group's offsets waits, and ends. It never says that it is ready, because it
// forwards nothing. The partitions that wait are named.
func TestNotReadyBeforeItMayWork(t *testing.T) {
	t.Parallel()
	w := begun(t, 40)
	said := w.logged()
	w.setup.Journal.Topic = "other.journal"
	m := w.launch(named("m"))
	w.becomes("nobody says what waits", func() bool {
		if m.Ready() {
			t.Fatal("it is ready")
		}
		now := m.Stats().Standing
		return strings.Contains(now.Trouble, "waits: news/") &&
			strings.Contains(now.Trouble, "the journal does not know the epoch")
	})
	w.becomes("the log does not say that a partition waits", func() bool { return said.has(`"message":"a partition waits`) })
	w.ended(m)
	patient := w.launch(named("m"), hurried) // it has waited for as long as it may
	w.refusedBy(patient, "--accept-journal-gap other.journal@0:")
	if m.Ready() || patient.Ready() || said.has(`"message":"ready"`) {
		t.Error("it was ready")
	}
}

// A session that is built anew again and again and commits nothing keeps its process from being ready, and this is
// logged. It ends when the session commits.
func TestNotReadyWhileSessionsFail(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.patient()
	said := w.logged()
	m := w.start(named("m"), sessions(1))
	w.becomes("it is not ready at first", m.Ready)
	fails := w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.TxnOffsetCommit}, Err: kerr.InvalidProducerEpoch, Count: -1})
	w.produce(20, 70)
	w.becomes("it stays ready", func() bool { return !m.Ready() })
	if now := m.Stats(); now.Standing.InARow < 5 ||
		!strings.Contains(now.Standing.Trouble, "session m-s0 was built anew") {
		t.Errorf("the member stands at %+v; want 5 failures in a row at least, and that m-s0 was built anew", now.Standing)
	}
	for _, line := range []string{
		`"level":"warn","session":"m-s0","because":`,
		`"in_a_row":5,"message":"session is rebuilt"`, `"message":"not ready"`,
	} {
		w.becomes("the log has no "+line, func() bool { return said.has(line) })
	}
	fails.Remove()
	w.settled()
	w.becomes("it does not become ready again", m.Ready)
	w.becomes("it does not say that it is ready again", func() bool { return said.has(`"message":"ready again"`) })
	if n := m.Stats().Standing.InARow; n != 0 {
		t.Errorf("%d rebuilds in a row after a commit", n)
	}
	w.audited()
}

// A journal that takes no append keeps a member from being ready, with the setting to look at, and so does one whose
// only broker is gone while there is nothing to append. It is ready again when the journal takes appends.
func TestNotReadyWhileTheJournalTakesNothing(t *testing.T) {
	t.Parallel()
	notReady := func(t *testing.T, w *world, m *running, want string) {
		t.Helper()
		w.becomes("it stays ready", func() bool { return !m.Ready() })
		if got := m.Stats().Standing.Trouble; !strings.Contains(got, "journal "+w.setup.Params.Group+".journal ") ||
			!strings.Contains(got, want) {
			t.Errorf("want %q, got %q", want, got)
		}
	}
	t.Run("too large for it", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, 1)
		w.patient()
		m := w.start(named("m"), sessions(1))
		w.becomes("it is not ready at first", m.Ready)
		refused := w.cluster.Fault(kfake.Fault{
			Keys: []kmsg.Key{kmsg.Produce}, Topic: w.setup.Params.Group + ".journal", Err: kerr.MessageTooLarge, Count: -1,
		})
		w.produce(20, 72)
		notReady(t, w, m, "max.message.bytes")
		refused.Remove()
		w.settled()
		w.becomes("it does not become ready again", m.Ready)
		w.audited()
	})
	t.Run("its broker is gone", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, 1)
		w.patient()
		w.produce(20, 73)
		m := w.launch(named("m"), sessions(1))
		w.settled()
		w.becomes("it is not ready at first", m.Ready)
		m.network.sever()
		notReady(t, w, m, "see that its brokers are up")
		m.kill()
	})
}

// Outputs that take nothing for longer than a transaction may last keep a member from being ready, though the client
// repeats what they refuse and tells nobody.
func TestNotReadyWhileTheOutputsTakeNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	m := w.start(named("m"), sessions(1))
	w.becomes("it is not ready at first", m.Ready)
	refused := w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "news.unique", Err: kerr.NotEnoughReplicas, Count: -1})
	w.produce(20, 74)
	w.becomes("it stays ready", func() bool { return !m.Ready() })
	if got := m.Stats().Standing.Trouble; !strings.Contains(got, "the outputs take nothing of session m-s0") {
		t.Errorf("want the outputs, got %q", got)
	}
	refused.Remove()
	w.settled()
	w.becomes("it does not become ready again", m.Ready)
	w.audited()
}

// A process that stood still for longer than the group waits for it says so.
func TestStandingStillIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var said strings.Builder
		r := &readiness{
			common: &session.Setup{
				Log: &journal.Log{}, Counters: &measure.Counters{}, Params: session.Params{Membership: session.Membership{SessionTimeout: 6 * time.Second}},
				Logger: zerolog.New(slowly{&said, 7 * time.Second}),
			},
			replicas: member.NewCounters(), took: phase.Begin(), stands: &atomic.Pointer[state]{},
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		r.Run(ctx)
		if got := strings.Count(said.String(), "this process stood still"); got != 1 {
			t.Errorf("it is told %d times, want once: %s", got, &said)
		}
	})
}

// slowly writes the first line only after a while, as a process that is stopped does.
type slowly struct {
	to   *strings.Builder
	wait time.Duration
}

func (s slowly) Write(line []byte) (int, error) {
	if s.to.Len() == 0 {
		time.Sleep(s.wait)
	}
	return s.to.Write(line)
}

// A member with more sessions than there are partitions is ready: the sessions without partitions have nothing to do.
func TestReadyWithNothingToDo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	m := w.start(named("m"), sessions(3))
	w.becomes("it is not ready", m.Ready)
	w.produce(20, 71)
	w.settled()
	w.audited()
}
