package consumer

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

type logs struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logs) has(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.text.String(), text)
}

func (l *logs) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), text)
}

func (w *world) logged() *logs {
	l := &logs{}
	w.setup.Logger = zerolog.New(zerolog.MultiLevelWriter(l, zerolog.ConsoleWriter{Out: w.t.Output()}))
	return l
}

// begun returns a world whose one member has forwarded n documents and has stopped.
func begun(t *testing.T, n int) *world {
	t.Helper()
	w := newWorld(t, 4)
	w.produce(n, 51)
	m := w.start(named("m"))
	w.settled()
	w.stopped(m)
	return w
}

// stopped stops a member and makes sure that nobody is left in the group.
func (w *world) stopped(m *running) {
	w.t.Helper()
	w.ended(m)
	w.left()
}

// again lets a member work until everything is committed, and stops it.
func (w *world) again(change ...func(*Setup)) {
	w.t.Helper()
	m := w.start(append(change, named("m"))...)
	w.settled()
	w.stopped(m)
}

// auditedWith audits where documents come out again or are skipped, and counts the outputs.
func (w *world) auditedWith(outputs int) {
	w.t.Helper()
	report := w.audit()
	if got := report.Unique + report.Duplicate + report.Rejected; !report.OK() || got != outputs {
		w.t.Fatalf("%d outputs, want %d: %s", got, outputs, report.String())
	}
	for _, r := range w.outputs("news.duplicate", report.Duplicate) {
		if headerOf(r, sink.HeaderMatch) == headerOf(r, sink.HeaderSource) {
			w.t.Errorf("%s is a duplicate of itself", headerOf(r, sink.HeaderSource))
		}
	}
}

// partition returns what a member knows of a source partition.
func (w *world) partition(m *running, partition int32) index.Partition {
	w.t.Helper()
	var p index.Partition
	m.follower().Look(func(r *index.Replica) {
		p, _ = r.Partition(w.source(partition))
	})
	return p
}

func TestOffsetsSetForwards(t *testing.T) {
	t.Parallel()
	w := begun(t, 200)
	w.produce(200, 53)
	skipped := 0
	w.setOffsets(func(_ int32, at int64) int64 {
		skipped += 5
		return at + 5
	})
	said := w.logged()
	m := w.start(named("m"))
	w.settled()
	if s := m.Stats(); s.Skipped != uint64(skipped) || s.Ready ||
		!strings.Contains(s.Standing.Trouble, "news/1: somebody else has committed") ||
		!strings.Contains(s.Standing.Trouble, "unecho audit names which of them nobody judged") {
		t.Errorf("%d documents were skipped, and it says %d; ready %v, %q", skipped, s.Skipped, s.Ready, s.Standing.Trouble)
	}
	if !said.has("what lies between may be judged by nobody") {
		t.Error("the log does not say that documents were skipped")
	}
	w.stopped(m)
	m = w.start(named("m"))
	w.becomes("ready when it was started again", m.Ready)
	w.stopped(m)
	w.auditedWith(400 - skipped)
	in := w.audits(w.setup.Params.Group)
	report, err := audit.Run(w.context(), in)
	if err != nil || report.Outcome() != audit.Skipped || len(report.Skips) != skipped/5 {
		t.Errorf("the audit ends with %v, want %d stretches that were skipped: %s", err, skipped/5, report.String())
	}
	for _, s := range report.Skips {
		if s.Records != 5 || s.To-s.From != 5 {
			t.Errorf("5 documents of each partition were skipped, and the audit says %s", s.String())
		}
	}
}

// commit commits an offset with our metadata.
func (w *world) commit(partition int32, offset int64, metadata string) {
	w.t.Helper()
	var offsets kadm.Offsets
	offsets.Add(kadm.Offset{Topic: "news", Partition: partition, At: offset, LeaderEpoch: -1, Metadata: metadata})
	if err := kadm.NewClient(w.client()).CommitAllOffsets(w.context(), w.setup.Params.Group, offsets); err != nil {
		w.t.Fatal(err)
	}
}

// Committed offsets that went back by themselves are refused until that loss is accepted: not another one. One message names
// all of them, whichever session has the partitions.
func TestOffsetsLost(t *testing.T) {
	t.Parallel()
	w := begun(t, 200)
	var all []string
	for p := range int32(4) {
		w.commit(p, w.sent[p]-int64(p), protocol.Metadata(1, 0)) // all but the first
		all = append(all, protocol.LostOffsets(entry.Name("news", p), w.sent[p]))
	}
	lost := strings.Join(all[1:], ",")
	w.refused("--accept-lost-offsets " + lost + " ")
	w.produce(100, 56)
	w.setup.Accepted.LostOffsets = []string{"news/1@3", "news/2@1"}
	w.refusedBy(w.launch(named("m"), hurried), "--accept-lost-offsets "+lost+" ")
	w.again(func(s *Setup) { s.Accepted.LostOffsets = append(all[1:], "news/1@3") })
	w.auditedWith(300)
}

// tell appends a record to the journal behind the member's back, and waits until the member has read it.
func (w *world) tell(m *running, rec index.Record) {
	w.t.Helper()
	last, err := m.follower().Log.Put(w.context(), journal.Append(nil, rec))
	if err != nil {
		w.t.Fatal(err)
	}
	if err := m.follower().Wait(w.context(), last); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) source(partition int32) entry.Source {
	return entry.Source{Topic: w.cluster.TopicInfo("news").TopicID, Partition: partition}
}

// A document that one member has judged must not be rejected by another: the verdict may have been forwarded.
func TestVerdictOutranksRejection(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.setup.Sources[0].Reading.MaxBytes = 500
	w.produce(50, 65)
	m := w.start(named("m"), sessions(1))
	w.settled()
	text := strings.Repeat("a document too long for this member, but not for the one that judged it ", 10)
	e := w.signed(text)
	e.Offset, e.Time = w.sent[0], 1
	w.tell(m, &index.Run{Header: m.follower().Log.Header(), Source: w.source(0), Epoch: 1, Entries: []entry.Entry{*e}})
	w.send(&kgo.Record{Value: []byte(text)}, &kgo.Record{Value: []byte(text)})
	w.settled()
	if report := w.audited(); report.Rejected != 1 {
		t.Errorf("the first was judged, the second is too long: %s", report.String())
	}
}

// A session that has nothing to do announces how far it has committed, so that nobody holds verdicts any longer.
func TestIdleSessionAnnounces(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	w.produce(100, 66)
	m := w.start(named("m"))
	w.settled()
	for partition, end := range w.sent {
		w.becomes("the base is announced", func() bool { return w.partition(m, partition).Base >= end })
	}
	w.audited()
}

// At an offset of the source is another document than the one that was judged, as after an unclean election.
func TestAnotherDocumentAtAnOffset(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.produce(100, 58)
	m := w.start(named("m"), sessions(1))
	w.settled()
	e := w.signed("a document that the source has lost before anybody read it")
	e.Offset, e.Time = w.sent[0]+3, 1
	w.tell(m, &index.Run{Header: m.follower().Log.Header(), Source: w.source(0), Epoch: 1, Entries: []entry.Entry{*e}})
	w.produce(20, 59)
	w.settled()
	if p := w.partition(m, 0); p.Epoch != 2 {
		t.Errorf("the epoch is %d", p.Epoch)
	}
	w.stopped(m)
	w.auditedWith(120)
}

// A topic that was deleted and created again is another source: its offsets begin anew, and the window remembers
// documents of the old one.
func TestTopicRecreated(t *testing.T) {
	t.Parallel()
	for _, running := range []bool{false, true} {
		t.Run(fmt.Sprint("running ", running), func(t *testing.T) {
			t.Parallel()
			w := begun(t, 100)
			w.setup.Kafka = append(w.setup.Kafka, kgo.MetadataMaxAge(300*time.Millisecond))
			if running {
				w.start(named("m"), sessions(1))
				w.joined(1)
			}
			w.deletes("news")
			w.create("news", 4, nil)
			unique := w.cluster.PartitionInfo("news.unique", 0).HighWatermark
			w.sent, w.producer = map[int32]int64{}, nil
			w.produce(100, 51) // the same documents once more
			if !running {
				w.start(named("m"), sessions(1))
			}
			w.settled()
			w.outputs("news.duplicate", 100)
			if now := w.cluster.PartitionInfo("news.unique", 0).HighWatermark; now != unique {
				t.Errorf("%d uniques in place of %d: documents that were seen before are new", now, unique)
			}
		})
	}
}
