package consumer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index"
)

const (
	versionAt  = 4 // offset of the version in a framed value, see the package comment of journal
	checksumAt = 5
	bodyAt     = 9
)

// resealed returns a framed value with another version and the checksum that fits.
func resealed(value []byte, version byte) []byte {
	value = bytes.Clone(value)
	value[versionAt] = version
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	_, _ = sum.Write(slices.Concat(value[:checksumAt], value[bodyAt:]))
	binary.LittleEndian.PutUint32(value[checksumAt:], sum.Sum32())
	return value
}

// write puts records into the journal that no member has written.
func (w *world) write(records ...*kgo.Record) {
	w.t.Helper()
	if w.cluster.TopicInfo("unecho.journal") == nil {
		w.create("unecho.journal", 1, map[string]string{
			"retention.ms": "-1", "retention.bytes": "-1", "message.timestamp.type": "LogAppendTime",
			"max.message.bytes": "4194304",
		})
	}
	for _, r := range records {
		r.Topic = "unecho.journal"
	}
	if err := w.client().ProduceSync(w.context(), records...).FirstErr(); err != nil {
		w.t.Fatal(err)
	}
}

// stray is a record that somebody else writes into the journal, and what members count.
type stray struct {
	name  string
	write func(w *world)
	want  map[journal.Reason]uint64
}

func strays() []stray {
	inJournal := func() *kgo.Record { return &kgo.Record{Topic: "unecho.journal", Value: []byte("x")} }
	run := journal.Append(nil, &index.Run{Header: index.Header{Fingerprint: index.Fingerprint([]byte(ours)), Wall: 1}})
	flipped := bytes.Clone(run)
	flipped[len(flipped)/2] ^= 4
	settings := journal.Append(nil, &index.Settings{Text: []byte(`{"of":"others"}`), Wall: 1})
	return []stray{
		{"texts", func(w *world) {
			w.write(&kgo.Record{Value: []byte("{}")}, &kgo.Record{Key: []byte("unecho"), Value: []byte("a document")})
		}, map[journal.Reason]uint64{journal.Unframed: 2}},
		{"tombstones", func(w *world) { w.write(&kgo.Record{Key: []byte("unecho")}, &kgo.Record{}) }, map[journal.Reason]uint64{journal.Unframed: 2}},
		{"one bad bit", func(w *world) { w.write(&kgo.Record{Key: []byte("unecho"), Value: flipped}) }, map[journal.Reason]uint64{journal.Damaged: 1}},
		{"half a record", func(w *world) { w.write(&kgo.Record{Value: run[:len(run)-1]}) }, map[journal.Reason]uint64{journal.Damaged: 1}},
		{"one bad bit in the version", func(w *world) {
			newer := bytes.Clone(run)
			newer[versionAt] |= 64
			w.write(&kgo.Record{Value: newer})
		}, map[journal.Reason]uint64{journal.Damaged: 1}},
		{"another group's", func(w *world) {
			w.write(&kgo.Record{Key: []byte("another"), Value: settings},
				&kgo.Record{Key: []byte("another"), Value: resealed(run, 9)})
		}, map[journal.Reason]uint64{journal.Foreign: 2}},
		{
			"a transaction's end", func(w *world) { w.begins("a mistaken producer", inJournal())(kgo.TryCommit) },
			map[journal.Reason]uint64{journal.Unframed: 1, journal.Marker: 1},
		},
		{
			"an aborted transaction's", func(w *world) { w.begins("a mistaken producer", inJournal())(kgo.TryAbort) },
			map[journal.Reason]uint64{journal.Unframed: 1, journal.Marker: 1},
		},
	}
}

// Records that somebody else puts into the journal change nothing for members that are at work, that restore, or that
// read the journal from its start. They go on, in the same state, and count the records.
func TestUnreadableRecords(t *testing.T) {
	t.Parallel()
	for _, c := range strays() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 2)
			w.setup.Settings = []byte(ours)
			said := w.logged()
			a := w.start(named("a"), sessions(1), rarely)
			w.produce(50, 61)
			w.settled()
			w.checkpoint(a, "a", 62) // the records that follow lie behind a snapshot
			c.write(w)
			restored := w.start(named("b"), sessions(1), rarely)
			replayed := w.start(named("c"), sessions(1), rarely, w.in(t.TempDir()))
			members := []*running{a, restored, replayed}
			for _, m := range members {
				w.until("not all are at work", m.Ready)
			}
			w.produce(50, 63)
			w.settled()
			w.sameHash(members...)
			for _, m := range members {
				got := m.Stats()
				for _, why := range journal.Reasons() {
					if got.Strays[why] != c.want[why] {
						t.Errorf("%d strays are %s, want %d", got.Strays[why], why, c.want[why])
					}
				}
				if got.Divergences > 0 {
					t.Error("replicas differ")
				}
			}
			if !said.has("a record in the journal is not of this group") {
				t.Error("nothing says that entries have no verdict, and records were damaged")
			}
			w.audited()
		})
	}
}

// A sound record of another format ends whoever reads it, with the advice to run the version of the others, because
// other members act on it.
func TestAnotherFormat(t *testing.T) {
	t.Parallel()
	run := journal.Append(nil, &index.Run{Header: index.Header{Wall: 1}})
	kind := bytes.Clone(run)
	kind[bodyAt] = 200
	for _, c := range []struct {
		name  string
		value []byte
		says  string
	}{
		{"the version before", resealed(run, 2), "its format is 2, this one reads format 3"},
		{"the next version", resealed(run, 4), "its format is 4, this one reads format 3"},
		{"a kind", resealed(kind, run[versionAt]), "its kind is 200"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1)
			w.produce(50, 61)
			m := w.launch(named("m"), sessions(1))
			w.settled()
			w.write(&kgo.Record{Value: c.value})
			says := []string{"holds what this version of unecho cannot read", c.says, "start the version"}
			w.refusedBy(m, says...)
			w.refusedBy(w.launch(named("m"), sessions(1), w.in(w.t.TempDir())), says...)
		})
	}
}

// A topic that holds something else is not taken for a journal, because a journal is trimmed one day.
func TestNoJournal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.write(&kgo.Record{Value: []byte("a document")})
	m := w.launch(named("m"), sessions(1))
	w.refusedBy(m, "topic unecho.journal holds records, and none is of a journal", "correct group; if it is right, delete the topic")
	if got := m.Stats().Journal.Records; got != 0 {
		t.Errorf("it appended %d records", got)
	}
}

// A member whose record becomes unreadable on its way appends it again, whatever the record is. No document waits for
// ever, and none comes out twice.
func TestOwnRecordsDamaged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		bad      *damage
		sessions int
	}{
		{"settings", &damage{of: isA[*index.Settings], times: 2}, 2},
		{"repositions", &damage{of: isA[*index.Reposition], times: 6}, 1}, // a rebalance could come before it is said
		{"runs", &damage{of: isA[*index.Run], times: 3}, 2},
		{"every second run", &damage{of: isA[*index.Run], times: 1 << 30, nth: 2}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 4)
			said := w.logged()
			m := w.start(named("m"), sessions(c.sessions), withBad(c.bad), func(s *Setup) { s.Params.PollRecords = 20 })
			w.produce(200, 71)
			w.settled()
			w.becomes("all values that came to the journal damaged are counted", func() bool { // an idle second announces more
				next := m.follower().Next()
				n := m.Stats().Strays[journal.Damaged]
				return n > 0 && n == w.damagedBelow(next)
			})
			if !said.has("entries in the journal have no verdict") {
				t.Error("it is not said")
			}
			w.audited()
		})
	}
}

// damagedBelow counts the damaged values that the journal holds below an offset. The hook does not know their number: an
// append that a rebalance interrupts may come to the journal or not.
func (w *world) damagedBelow(offset int64) (n uint64) {
	w.read("unecho.journal", func(r *topic.Record) {
		var why *journal.StrayError
		if _, err := journal.Decode(r.Value); r.Offset < offset && errors.As(err, &why) && why.Reason == journal.Damaged {
			n++
		}
	})
	return n
}

// A rebalance begins while a session waits before it appends its repositions again. The wait ends, and the process does
// not.
func TestRebalanceWhileDamaged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	said := w.logged()
	w.start(named("m"), sessions(1), withBad(&damage{of: isA[*index.Reposition], times: 16})) // for a second at least
	w.becomes("something is appended again",
		func() bool { return said.has("entries in the journal have no verdict") })
	w.start(named("other"), sessions(1))
	w.produce(200, 72)
	w.settled()
	w.audited()
}

// An accusation that nobody could read is made again. Otherwise the accused would go on.
func TestAccusationDamaged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.patient()
	bad := &damage{of: isA[*index.Accusation], times: 2}
	reader := w.start(named("reader"), sessions(1), rarely, withBad(bad))
	writer := w.launch(named("writer"), sessions(1), rarely)
	w.joined(2)
	w.checkpoint(writer, "writer", 73)
	w.caughtUp(writer)
	w.plant(writer)
	w.checkpoint(writer, "writer", 74)
	w.refusedBy(writer, "reader accuses this member")
	w.becomes("the reader does not know that it has accused", func() bool { return reader.Stats().Accusations > 0 })
	if got := reader.Stats(); got.Accusations != 1 || bad.done.Load() != 2 {
		t.Errorf("the reader accuses %d times, %d were damaged", got.Accusations, bad.done.Load())
	}
}

// A machine that damages all it appends ends instead of filling the journal. Another one takes its documents.
func TestAllOwnRecordsDamaged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.produce(50, 81)
	w.again()
	m := w.launch(named("bad"), sessions(1), withBad(&damage{of: isA[index.Record], times: 1 << 30}))
	w.produce(50, 82)
	w.refusedBy(m, "no member can read what this one appends", "run the member on another machine")
	w.again()
	w.audited()
}

// damage flips a bit of records on their way to the journal, as a bad memory does.
type damage struct {
	of    func(index.Record) bool
	times int64
	nth   int64 // only every nth of those; 0: each

	seen, done atomic.Int64
}

func isA[R index.Record](rec index.Record) bool {
	_, is := rec.(R)
	return is
}

func withBad(d *damage) func(*Setup) {
	return func(s *Setup) { s.Kafka = append(slices.Clone(s.Kafka), kgo.WithHooks(d)) }
}

// OnProduceRecordBuffered implements kgo.HookProduceRecordBuffered.
func (d *damage) OnProduceRecordBuffered(r *kgo.Record) {
	if r.Topic != "unecho.journal" {
		return
	}
	rec, err := journal.Decode(r.Value)
	if err != nil || !d.of(rec) || d.seen.Add(1)%max(1, d.nth) != 0 {
		return
	}
	if d.done.Add(1) > d.times {
		d.done.Add(-1)
		return
	}
	r.Value = bytes.Clone(r.Value)
	r.Value[len(r.Value)/2] ^= 16
}

// The producer's time does not move our clock, and stops nobody.
func TestProducerTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	said := w.logged()
	// the in-process broker stamps no time
	m := w.start(named("m"), sessions(1), func(s *Setup) { s.ProducerTime = false })
	w.produce(50, 91)
	w.settled()
	if !said.has("journal records carry the producer's time") {
		t.Error("it is not said")
	}
	if now := m.Stats().Index.Now; now != 0 {
		t.Errorf("the clock shows %v", time.UnixMilli(now))
	}
}
