package session

import (
	"iter"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/measure"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/unpack"
)

// item is one polled record on its way.
type item struct {
	record    *kgo.Record
	rejection *document.Rejection // found before signing; a held verdict outranks it
	withheld  *unpack.Sizes       // of what did not come with it; never forwarded but as rejected
	byBytes   bool                // it is compared by its bytes
	protocol.Document
}

// group is the part of a batch that comes from one source partition, ascending by offset.
type group struct {
	protocol.Group
	items []item
}

// batch is what one poll gave and one transaction forwards.
type batch struct {
	*protocol.Batch
	pipeline *pipeline // whose memory it is in
	fetches  kgo.Fetches
	groups   []group
	present  presence // the timestamp of its records that do not have their document's
	cause    error    // the first refusal of an output
	why      error    // the session is built anew, where the batch wants that

	// When it began, and what was done of it; zero: that was not done.
	began, signed, judged time.Time
	needed                time.Time // since when it waits for the journal; zero: it does not yet
	begun                 time.Time // its transaction; zero: it has none
}

// documents are what the protocol sees of items.
func documents(items []item) iter.Seq[*protocol.Document] {
	return func(yield func(*protocol.Document) bool) {
		for i := range items {
			if !yield(&items[i].Document) {
				return
			}
		}
	}
}

// took counts how long it took, if all documents were judged. What was passed on before is recorded in no time that
// counts.
func (b *batch) took(c *measure.Counters) {
	if b != nil && !b.judged.IsZero() {
		c.Took(b.signed.Sub(b.began), b.judged.Sub(b.signed), time.Since(b.judged))
	}
}

// verdicts is how many documents have a verdict.
func (b *batch) verdicts() (n uint64) {
	for i := range b.groups {
		for k := range b.groups[i].items {
			if b.groups[i].items[k].Judged {
				n++
			}
		}
	}
	return n
}

// count counts a batch by what was produced. A commit forgets what outputs have refused of it.
func (b *batch) count(in *measure.Batch, by *measure.Counters) {
	in.Reset()
	for i := range b.groups {
		g := &b.groups[i]
		topic := by.Count(g.Topic)
		for k := range g.items {
			switch it := &g.items[k]; {
			case g.Aside(&it.Document):
				reason, _ := it.reason()
				in.Rejected(topic, reason)
			case !it.Judged:
				in.Unchecked(topic)
			default:
				in.Judged(topic, &it.Verdict, it.byBytes)
			}
		}
	}
}

// delays counts how long ago the documents of a batch were written, when it is committed.
func (b *batch) delays(in *measure.Batch, now int64) {
	for i := range b.groups {
		for k := range b.groups[i].items {
			in.Delay(b.groups[i].items[k].record.Timestamp.UnixMilli(), now)
		}
	}
}
