package consumer

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/sink"
)

// journalAway lets the journal answer nothing until the fault is removed.
func (w *world) journalAway() *kfake.FaultHandle {
	return w.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.Produce, kmsg.Fetch, kmsg.ListOffsets}, Topic: w.setup.Params.Group + ".journal",
		Err: kerr.LeaderNotAvailable, Count: -1,
	})
}

// passes has documents passed on when the journal has been away for a second. Who is expelled meanwhile waits for the
// journal, so members have more time than a busy machine takes from them.
func (w *world) passes() {
	w.setup.Journal.PassAfter = time.Second
	w.setup.Params.SessionTimeout, w.setup.Params.TransactionTimeout = 10*time.Second, 20*time.Second
}

// gone counts what went out, the copies, and what says that it was not checked, since the journal was away. All that was
// sent must be out. The journal is not asked.
func (w *world) gone() (copies, passed int) {
	w.t.Helper()
	all := 0
	for _, output := range []string{"news.unique", "news.duplicate", "news.rejected"} {
		w.read(output, func(r *topic.Record) {
			all++
			if r.Header(sink.HeaderUnchecked) == "outage" {
				passed++
			}
			if r.Header(sink.HeaderVerdict) == sink.Duplicate {
				copies++
			}
		})
	}
	if all != w.total {
		w.t.Fatalf("%d of %d documents are out", all, w.total)
	}
	return copies, passed
}

// TestFilesAreNoOutage: a member whose disk does not answer passes no document on. It leaves its partitions to others.
func TestFilesAreNoOutage(t *testing.T) {
	t.Parallel()
	w, _ := remembering(t, 2500)
	w.passes()
	w.setup.Journal.PassAfter, w.setup.Params.MaxLag = 8*time.Second, 14*time.Second // a busy machine is slow, and no outage
	d := newDisk(t)
	m := w.start(named("m"), d.has)
	w.produce(2000, 1)
	w.settled()
	w.quiet(m)
	other := w.start(named("other"))
	w.joined(2 * w.setup.Params.Sessions)
	hung, release := d.hangs("read", false)
	defer release()
	w.produce(2000, 1)
	<-hung
	w.settled()
	if _, passed := w.gone(); passed > 0 || m.Stats().Outage {
		t.Errorf("%d documents were passed on", passed)
	}
	release()
	w.ended(m)
	w.ended(other)
	w.audited()
}

// While the journal is away documents are passed on. When it is back, they are remembered, and none goes out twice.
func TestOutagePasses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.passes()
	w.setup.Sources[0].Reading.MaxBytes = 4 << 10
	m := w.start(named("m"), sessions(1))
	w.produce(40, 301)
	w.settled()
	if _, n := w.gone(); n != 0 {
		t.Fatalf("%d documents were passed on before the outage", n)
	}
	away := w.journalAway()
	w.produce(60, 302)
	w.sendTo(0, strings.Repeat("too large, ", 500)) // rejected, in an outage too
	w.settled()
	_, before := w.gone()
	if before == 0 || before > 60 {
		t.Fatalf("%d documents were passed on in the outage, of 60", before)
	}
	away.Remove()
	recorded := func() bool { return m.Stats().Recorded >= uint64(before) && !m.Stats().Outage }
	w.becomes("what was passed on is recorded", recorded)
	w.produce(60, 302) // the same again: each is a copy of one that was passed on
	w.settled()
	copies, n := w.gone()
	if n != before {
		t.Errorf("%d documents were passed on when the journal was back", n-before)
	}
	if n := m.Stats().Recorded; n != uint64(before) {
		t.Errorf("%d documents are counted as recorded, and %d were passed on", n, before)
	}
	report := w.audited()
	if report.Bypassed != before {
		t.Errorf("the audit finds %d documents that were passed on, not %d", report.Bypassed, before)
	}
	if copies < 60 {
		t.Errorf("%d documents are copies: of the last 60 each is one", copies)
	}
}

// A member dies during the outage. What it had waits, the other one goes on with its own, and when the journal is back it
// takes over and records what both passed on.
func TestOutageTakenOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	w.passes()
	a := w.start(named("a"), sessions(1))
	b := w.start(named("b"), sessions(1))
	w.becomes("each has partitions", func() bool { return a.Stats().Partitions == 2 && b.Stats().Partitions == 2 })
	w.produce(100, 311)
	w.settled()
	away := w.journalAway()
	w.produce(100, 312)
	w.settled()
	a.kill()
	_, passed := w.gone()
	if passed == 0 {
		t.Fatal("nothing was passed on")
	}
	away.Remove()
	w.produce(100, 313)
	w.settled() // so what both passed on is recorded
	w.becomes("the one that is left has recorded something", func() bool { return b.Stats().Recorded > 0 })
	_, passed = w.gone()
	w.produce(100, 312) // the same again
	w.settled()
	w.audited()
	if copies, now := w.gone(); now > passed || copies < 100 {
		t.Errorf("%d duplicates, and %d more were passed on: what was passed on is not remembered", copies, now-passed)
	}
}

// A member dies, and its partitions are given to the one that is left. They wait, and that one goes on with its own for
// as long as the outage lasts.
func TestOutageGiven(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	w.passes()
	said := w.logged()
	a := w.start(named("a"), sessions(1))
	b := w.start(named("b"), sessions(1))
	w.becomes("each has partitions", func() bool { return a.Stats().Partitions == 2 && b.Stats().Partitions == 2 })
	away := w.journalAway()
	w.produce(100, 321)
	w.settled()
	a.kill()
	w.becomes("what the dead one had waits", func() bool { return said.has("a partition was assigned while the journal") })
	for i := range uint64(3) {
		before := b.Stats().Unchecked
		w.produce(40, 322+i)
		w.becomes("the one that is left passes on", func() bool { return b.Stats().Unchecked > before })
	}
	if got := b.Stats(); got.Partitions != 2 || got.Rebuilds > 0 {
		t.Errorf("the one that is left has %d partitions, and its session was built anew %d times", got.Partitions, got.Rebuilds)
	}
	away.Remove()
	w.settled()
	w.audited()
}

// Missing rights end a process that passes documents on, as they end one whose documents wait.
func TestOutageForbidden(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.passes()
	w.setup.forbidden = time.Second
	m := w.launch(named("m"), sessions(1))
	w.sendTo(0, "a first document, before anything is forbidden")
	w.settled()
	w.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.Produce}, Topic: w.setup.Params.Group + ".journal", Err: kerr.TopicAuthorizationFailed, Count: -1,
	})
	w.sendTo(0, "a second document, which nobody may append")
	if err := m.wait(); err == nil || !strings.Contains(err.Error(), "takes no appends") {
		t.Errorf("it ends with %v", err)
	}
}

// A replica that cannot read the journal lags, and its member stays, because documents do not wait for it.
func TestOutageOfReading(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.passes()
	w.setup.Params.MaxLag = time.Second
	m := w.start(named("m"), sessions(1))
	w.sendTo(0, "a first document, before the journal goes away")
	w.settled()
	away := w.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.Fetch}, Topic: w.setup.Params.Group + ".journal", Err: kerr.LeaderNotAvailable, Count: -1,
	})
	for i := range 3 {
		w.sendTo(0, fmt.Sprintf("document %d, while nobody can read the journal", i))
		w.settled()
		if err := away.Wait(w.context(), 50*(i+1)); err != nil { // so that the replica lags for longer than it may
			t.Fatal(err)
		}
	}
	if got := m.Stats(); got.Withdrawals > 0 || !got.Outage {
		t.Errorf("%d withdrawals, outage %v", got.Withdrawals, got.Outage)
	}
	away.Remove()
	w.becomes("what was passed on is recorded", func() bool { return m.Stats().Recorded == 3 && !m.Stats().Outage })
	w.audited()
}

// By default documents wait for the journal.
func TestOutageStalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.start(named("m"), sessions(1))
	w.sendTo(0, "a first document, before the journal goes away")
	w.settled()
	appends := w.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.Produce}, Topic: w.setup.Params.Group + ".journal", Observe: true, Count: -1,
	})
	away := w.journalAway()
	w.sendTo(0, "a second document, while it is away")
	if err := appends.Wait(w.context(), 30); err != nil { // so that the journal is away for longer than that
		t.Fatal(err)
	}
	if got := w.cluster.GroupInfo(w.setup.Params.Group).Commits["news"][0].Offset; got != 1 {
		t.Errorf("the group has committed %d documents, and the journal has one", got)
	}
	away.Remove()
	w.settled()
	w.audited()
}

// What was passed on in a partition cannot be read when the journal is back. The other partition of the session goes on,
// though there is never a pause in it, and the one is recorded when it can be read again.
func TestOutageThenUnread(t *testing.T) {
	t.Parallel()
	for name, unread := range map[string]kfake.Fault{
		"no leader": {Keys: []kmsg.Key{kmsg.Metadata, kmsg.ListOffsets, kmsg.Fetch}},
		"no answer": {Keys: []kmsg.Key{kmsg.Fetch}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 2)
			w.passes()
			said := w.logged()
			m := w.start(named("m"), sessions(1))
			send := func(partition int32, i int) {
				w.sendTo(partition, fmt.Sprintf("document %d of partition %d, of which there is no copy", i, partition))
			}
			send(0, 0)
			send(1, 0)
			w.settled()
			away := w.journalAway()
			send(0, 1)
			send(1, 1)
			w.settled()
			unread.Topic, unread.Partitions, unread.Err, unread.Count = "news", []int32{1}, kerr.LeaderNotAvailable, -1
			fault := w.cluster.Fault(unread)
			away.Remove()
			w.becomes("it begins to record", func() bool { return said.has("recording what was passed on") })
			before, i := m.Stats().Unique, 1
			w.becomes("the partition that can be read goes on", func() bool {
				i++
				send(0, i)
				return m.Stats().Unique > before
			})
			w.settledBut(1)
			fault.Remove()
			w.settled()
			w.becomes("both are recorded", func() bool { return m.Stats().Recorded >= 2 })
			w.audited()
		})
	}
}
