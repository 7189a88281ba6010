package consumer

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/protocol"
)

// hurried does not wait for troubles that may pass by themselves, because here they do not pass.
func hurried(s *Setup) { s.waited = protocol.BehindPatience }

func (w *world) loseJournal() { w.deletes("unecho.journal") }

func (w *world) deletes(topic string) {
	w.t.Helper()
	if err := w.cluster.DeleteTopic(topic); err != nil {
		w.t.Fatal(err)
	}
}

// trims is what retention does.
func (w *world) trims(topic string, partition int32, below int64) {
	w.t.Helper()
	if err := w.cluster.DeleteRecords(topic, partition, below); err != nil {
		w.t.Fatal(err)
	}
}

// gap names what the journal that is there now has lost.
func (w *world) gap() string {
	w.t.Helper()
	begin, err := broker.OffsetOf(w.context(), kadm.NewClient(w.client()).ListStartOffsets, "unecho.journal", 0)
	if err != nil {
		w.t.Fatal(err)
	}
	return protocol.JournalGap("unecho.journal", w.cluster.TopicInfo("unecho.journal").TopicID, begin.Offset)
}

func acceptsGap(gap string) func(*Setup) { return func(s *Setup) { s.Accepted.JournalGap = gap } }

func (w *world) loseSnapshots() {
	w.t.Helper()
	if err := os.RemoveAll(filepath.Join(w.dir, w.setup.Params.Group)); err != nil {
		w.t.Fatal(err)
	}
}

// loseHead deletes the part of the journal for which a snapshot is needed.
func (w *world) loseHead() {
	w.t.Helper()
	w.trims("unecho.journal", 0, w.snapshots()[0])
}

// When the memory is lost, a person is asked. If the person accepts the gap, the service goes on with an empty memory
// where it had forwarded to. When it is lost again, the flag that was left behind does not accept that.
func TestMemoryLost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		harm func(w *world)
		says string
	}{
		{"the journal", (*world).loseJournal, "is of epoch 1, and the journal unecho.journal never knew this partition"},
		{"the journal and the snapshots", func(w *world) {
			w.loseJournal()
			w.loseSnapshots()
		}, "is of epoch 1, and the journal unecho.journal never knew this partition"},
		{"the snapshots and the journal's head", func(w *world) {
			w.loseHead()
			w.loseSnapshots()
		}, "no usable snapshot reaches so far"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 4)
			w.produce(200, 51)
			first := w.start(named("m"))
			w.settled()
			w.stopped(first)
			c.harm(w)
			stray := strings.Repeat("A", 22) // the id of no topic
			for _, other := range []string{"", "unecho.journal@0", "unecho.journal@0:" + stray, "other.journal@0:" + stray} {
				refused := w.launch(named("m"), hurried, acceptsGap(other))
				w.refusedBy(refused, c.says)
				w.refusedBy(refused, "--accept-journal-gap "+w.gap()) // of the journal that it may have made
				if got := refused.Stats().Commits; got != 0 {
					t.Errorf("%d transactions of the one who refused", got)
				}
				w.left()
			}
			w.produce(200, 51) // the same documents: nobody remembers them
			said := w.logged()
			gap := w.gap()
			again := w.start(named("m"), hurried, acceptsGap(gap))
			w.settled()
			if !said.has("going on there with an empty memory") {
				t.Error("nobody said that the memory is lost")
			}
			w.stopped(again)
			if got, want := again.Stats().Unique, first.Stats().Unique; got != want {
				t.Errorf("%d are unique, with the memory of nothing; at first %d were", got, want)
			}
			w.again(acceptsGap("")) // the flag is not needed any more
			w.eachOnce(first, again)
			c.harm(w)
			refused := w.launch(named("m"), hurried, acceptsGap(gap))
			w.refusedBy(refused, c.says)
			w.refusedBy(refused, "--accept-journal-gap "+w.gap())
		})
	}
}

// The journal is deleted while a member works, and may be created again. The first message advises to start again, and
// the next start says what to accept.
func TestJournalDeletedAtWork(t *testing.T) {
	t.Parallel()
	for _, again := range []bool{false, true} {
		t.Run(fmt.Sprint("created again: ", again), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 4)
			w.setup.Kafka = append(w.setup.Kafka, kgo.MetadataMaxAge(300*time.Millisecond))
			w.produce(100, 56)
			m := w.launch(named("m"))
			w.settled()
			w.loseJournal()
			if again {
				w.create("unecho.journal", 1, map[string]string{"retention.ms": "-1"})
			}
			w.produce(20, 57)
			w.refusedBy(m, "was deleted while this member worked", journal.NextGap)
			if again { // otherwise than a start makes it
				return
			}
			refused := w.launch(named("m"), hurried)
			w.refusedBy(refused, "never knew this partition")
			w.refusedBy(refused, "--accept-journal-gap "+w.gap())
			w.start(named("m"), acceptsGap(w.gap()))
			w.settled()
		})
	}
}

// A journal to which somebody added a partition is used on: only partition 0 matters, also where the other has no leader.
func TestJournalOfTwoPartitions(t *testing.T) {
	t.Parallel()
	w := begun(t, 40)
	w.widen("unecho.journal", 2)
	stray := &kgo.Record{Topic: "unecho.journal", Partition: 1, Value: []byte("stray")}
	if err := w.client(kgo.RecordPartitioner(kgo.ManualPartitioner())).ProduceSync(w.context(), stray).FirstErr(); err != nil {
		t.Fatal(err)
	}
	deposed := w.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.ListOffsets, kmsg.Fetch}, Topic: "unecho.journal", Partitions: []int32{1},
		Err: kerr.LeaderNotAvailable, Count: -1,
	})
	said := w.logged()
	w.start(named("m"))
	w.produce(40, 59)
	w.settled()
	if !said.has("only partition 0 is used") {
		t.Error("nobody says that the journal has a partition too many")
	}
	deposed.Remove() // the audit asks all leaders
	w.auditedWith(80)
}

// An offset was set behind the end of the source. The same happens when the source loses its end. The command in the
// message repairs it.
func TestOffsetsBeyondTheSource(t *testing.T) {
	t.Parallel()
	w := begun(t, 200)
	w.setOffsets(func(_ int32, at int64) int64 { return at + 1000 })
	m := w.launch(named("m"), hurried)
	w.refusedBy(m, "but the topic ends at", "kafka-consumer-groups.sh --group unecho --topic news:",
		"--reset-offsets --to-offset")
	w.left()
	w.setOffsets(func(p int32, _ int64) int64 { return w.sent[p] })
	w.produce(100, 53)
	w.again()
	w.auditedWith(300)
}

// An offset was set to where retention has deleted everything. The service goes on where the topic begins, and says so.
func TestOffsetsBeforeTheSource(t *testing.T) {
	t.Parallel()
	w := begun(t, 200)
	said, repeated := w.logged(), 0
	for p, end := range w.sent {
		w.trims("news", p, end-3)
		repeated += 3
	}
	w.setOffsets(func(int32, int64) int64 { return 1 })
	w.again()
	if !said.has("documents were deleted before they were read: going on where the topic begins") {
		t.Error("nobody said that documents are gone")
	}
	report := w.audit()
	if got := report.Unique + report.Duplicate; !report.OK() || got != 200+repeated {
		t.Errorf("%d outputs, want %d: %s", got, 200+repeated, report.String())
	}
}

// An epoch was committed and something was forwarded in it, but the journal does not know of it: the journal has lost
// its end.
func TestJournalLostItsEnd(t *testing.T) {
	t.Parallel()
	w := begun(t, 200)
	w.commit(1, w.sent[1], protocol.Metadata(2, w.sent[1]-3))
	w.refusedBy(w.launch(named("m"), hurried), "the journal unecho.journal lost its end",
		"--reset-offsets --to-current --execute")
	w.left()
	w.setOffsets(func(_ int32, at int64) int64 { return at })
	w.produce(100, 55)
	w.again()
	w.auditedWith(300)
}
