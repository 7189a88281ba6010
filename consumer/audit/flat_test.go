package audit_test

import (
	"flag"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

var flood = flag.Int("flood", 40_000, "documents of TestMemoryStaysFlatLong")

// The audit of many documents takes no more memory than that of few: the topics grow, and the window doesn't. Verdicts
// and digests of 60,000 documents in memory would be 35 MiB, those of 20,000 still more than the bound.
func TestMemoryStaysFlat(t *testing.T)     { tryFlat(t, 20_000) }
func TestMemoryStaysFlatLong(t *testing.T) { tryFlat(t, *flood) }

func tryFlat(t *testing.T, documents int) {
	t.Helper()
	const (
		window = 1000
		least  = 1 << 20
		bound  = 8 << 20
	)
	s := newScene(t)
	s.params.Duplicates.Method, s.params.Duplicates.Verify, s.params.Duplicates.Remember.Documents = "simhash", "estimate", window
	s.reset()
	s.begin()
	s.flood(documents)
	in := s.inputs()
	in.Memory, in.Directory = least, t.TempDir()
	var last uint64 // when all is known, and nothing fetched ahead is left
	in.Progress = func(p audit.Progress) {
		if p.Stage == audit.StageCompare {
			last = heap()
		}
	}
	before := heap()
	report := s.run(in)
	if !report.OK() || report.Records != documents || report.Duplicate == 0 {
		t.Fatal(report.String())
	}
	t.Logf("%d documents: %d bytes in use before, %d at the end", documents, before, last)
	if last == 0 || last > before+bound {
		t.Errorf("the heap grew from %d to %d bytes", before, last)
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// flood produces many documents, their entries and their outputs, a third of them copies.
func (s *scene) flood(documents int) {
	s.t.Helper()
	const run = 500
	for n := 0; n < documents; n += run {
		partition := int32(n / run % 2)
		sources := make([]*kgo.Record, run)
		for i := range sources {
			text := fmt.Sprintf("document %d of the flood tells about %d and %d", (n+i)/3*3, n*7919, (n+i)/3)
			sources[i] = &kgo.Record{
				Topic: "news", Partition: partition, Value: []byte(text),
				Timestamp: time.UnixMilli(int64(n + i + 1)),
			}
		}
		s.produce(sources...)
		entries := make([]entry.Entry, run)
		for i, r := range sources {
			entries[i] = entry.Entry{Offset: r.Offset, Time: r.Timestamp.UnixMilli()}
			s.signer.Sign(&entries[i], r.Value)
		}
		rec := &index.Run{
			Header: s.header(), Source: s.source(partition), Epoch: 1, Base: sources[0].Offset,
			Entries: entries,
		}
		at := &kgo.Record{Topic: "journal", Value: journal.Append(nil, rec)}
		s.produce(at)
		verdicts := s.replica.Apply(index.Stamp{Offset: at.Offset, LogAppendTime: at.Timestamp.UnixMilli()}, rec).Judged
		outputs := make([]*kgo.Record, run)
		batch := s.newBatch()
		for i := range verdicts {
			outputs[i] = new(kgo.Record)
			batch.Verdict(outputs[i], sources[i], &verdicts[i])
		}
		s.produce(outputs...)
	}
}

// together has duplicates go to the topic of the unique documents.
func together(s *scene) {
	for _, r := range s.outputs {
		if r.Topic == "news.duplicate" {
			r.Topic = "news.unique"
		}
	}
	s.sink.Duplicate.Topic = s.sink.Unique.Topic
}

// Where duplicates stand among the unique documents, one output partition has the order of both.
func TestDuplicatesAmongTheUnique(t *testing.T) {
	tryAll(t, []happening{
		{"as they should", together, audit.Report{Records: 5, Unique: 2, Duplicate: 2, Rejected: 1}},
		{"in a topic of their own", func(s *scene) { s.sink.Duplicate.Topic = s.sink.Unique.Topic }, audit.Report{
			Records: 5, Unique: 2, Rejected: 1, Lost: 2,
		}},
		{"a duplicate before a unique one", func(s *scene) {
			together(s)
			s.forward(s.document(1, "one more that is like no other, and comes last in its partition"), 1)
			last := len(s.outputs) - 1
			s.outputs[2], s.outputs[last] = s.outputs[last], s.outputs[2]
		}, audit.Report{Records: 6, Unique: 3, Duplicate: 2, Rejected: 1, Misordered: 2}},
		{"a duplicate that says it is unique", func(s *scene) {
			together(s)
			set(s.outputs[2], sink.HeaderVerdict, sink.Unique)
		}, audit.Report{Records: 5, Unique: 3, Duplicate: 1, Rejected: 1, Different: 1}},
	})
}
