package api

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/recent"
	"github.com/unecho/unecho/consumer/removal"
	"github.com/unecho/unecho/consumer/standing"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// fake is a service whose memory is a replica with a few documents.
type fake struct {
	stats    consumer.Stats
	replica  *index.Replica
	copies   recent.Copies
	fails    error
	comparer *compare.Comparer
	roster   consumer.Roster
	record   func(offset int64) (document.Input, error)
}

func (f *fake) Stats() consumer.Stats  { return f.stats }
func (f *fake) Ready() bool            { return f.stats.Ready }
func (f *fake) Recent() *recent.Copies { return &f.copies }
func (f *fake) Lookup(_ context.Context, e *entry.Entry, most int) (index.Answer, error) {
	if f.fails != nil {
		return index.Answer{}, f.fails
	}
	q, ok := f.replica.Inquire(e, 1<<20)
	if !ok {
		return index.Answer{}, member.ErrTooMuch
	}
	return q.Answer(f.comparer, most), nil
}

func (f *fake) Roster(context.Context) (consumer.Roster, error) { return f.roster, f.fails }

func (f *fake) Find(_ context.Context, topic string, partition int32, offset int64) (w member.Whereabouts, err error) {
	if f.fails != nil {
		return w, f.fails
	}
	s := index.Search{Topic: topic, Partition: partition, Offset: offset}
	w.Known, _ = f.replica.Seek(&s, 1000)
	w.Source, w.Reached, w.Partition = f.replica.Reached(topic, partition)
	if v, source, held := f.replica.Judged(topic, partition, offset); held {
		w.Verdict, w.Source, w.Held = v, source, true
	}
	w.Stats = f.replica.Stats()
	return w, nil
}

func (f *fake) Forget(_ context.Context, names []string, copies,
	dry bool,
) (found removal.Found, offset int64, err error) {
	if f.fails != nil {
		return found, -1, f.fails
	}
	s := removal.NewSearch(names, copies)
	for !s.Step(f.replica, 1) {
	}
	if found = s.Found(); dry || len(found.Documents) == 0 {
		return found, -1, nil
	}
	for _, rec := range removal.Records(index.Header{
		Fingerprint: index.Fingerprint([]byte(`{}`)),
		Wall:        1_700_000_000_000,
	}, found.Targets()) {
		offset = f.replica.Next()
		f.replica.Apply(index.Stamp{Offset: offset, LogAppendTime: 1_700_000_001_000}, rec)
		f.copies.Erase(rec.Targets)
	}
	return found, offset, nil
}

func (f *fake) Record(_ context.Context, source entry.Source, name string, offset int64) (document.Input, error) {
	if source != fakeSource() || name != "news" {
		return document.Input{}, topic.ErrOther
	}
	return f.record(offset)
}

const (
	original = "the council met on tuesday evening and decided after a long debate to build the new bridge across the " +
		"river before winter"
	similar = original + " begins"
	near    = similar + " the mayor said on wednesday in the town hall"
)

// fakeSource is where its documents come from.
func fakeSource() entry.Source { return entry.Source{Topic: [16]byte{7}, Partition: 2} }

func newFake(t *testing.T) *fake {
	t.Helper()
	p := index.DefaultParams()
	f := &fake{replica: must(index.NewReplica(p, index.Fingerprint([]byte(`{}`))))(t)}
	f.comparer = must(index.NewComparer(p))(t)
	signer := must(index.NewSigner(p))(t)
	source, at := fakeSource(), int64(0)
	apply := func(rec index.Record) {
		effect := f.replica.Apply(index.Stamp{Offset: at, LogAppendTime: 1_700_000_000_000 + at}, rec)
		if !effect.Applied {
			t.Fatalf("%T is ignored", rec)
		}
		f.copies.Add(index.Stamp{Offset: at, LogAppendTime: 1_700_000_000_000 + at}, rec, effect.Judged, f.replica.TopicOf)
		at++
	}
	settings := []byte(`{}`)
	header := index.Header{Fingerprint: index.Fingerprint(settings), Wall: 1_700_000_000_000}
	apply(&index.Settings{Text: settings, Wall: header.Wall})
	apply(&index.Reposition{Header: header, Source: source, Name: "news", Partitions: 4, Epoch: 1})
	run := &index.Run{Header: header, Source: source, Epoch: 1}
	for i, text := range []string{original, similar} {
		e := entry.Entry{Offset: int64(i), Time: 1_690_000_000_000, ID: fmt.Appendf(nil, "doc-%d", i)}
		signer.Sign(&e, []byte(text))
		run.Entries = append(run.Entries, e.Clone())
	}
	apply(run)
	f.stats = consumer.Stats{
		Unique: 1, Duplicate: 1, Rejected: map[sink.Reason]uint64{sink.TooLarge: 2}, JournalNext: at, JournalEnd: at,
		AppliedTime: 1_700_000_000_000,
		Index:       f.replica.Stats(), SourceLag: -1, Partitions: 4,
		Bounds:       consumer.WindowLimits{Age: 24 * time.Hour, Bytes: 1 << 30},
		SnapshotNext: 2, SnapshotTime: 1_700_000_000_001, Ready: true,
		Waiting: []standing.Waiting{{PartitionName: entry.Name("news", 1), Offset: 50, Next: 60}},
	}
	return f
}
