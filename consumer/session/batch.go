package session

import (
	"context"
	"iter"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/signing"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/index"
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
	begins int64 // the partition's first offset when this was fetched; -1: the broker does not say
	items  []item
}

// batch is what one poll gave and one transaction forwards.
type batch struct {
	*protocol.Batch
	groups  []group
	records bool      // what was passed on is recorded
	needed  time.Time // since when it waits for the journal; zero: it does not yet
	begun   time.Time // its transaction; zero: it has none
	present presence  // the timestamp of its records that do not have their document's
	cause   error     // the first refusal of an output
	why     error     // the session is built anew, where the batch wants that
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

// newBatch sorts the polled records by partition. A record of a partition that was taken away meanwhile is a reason to
// abort: ok is false.
func (s *Session) newBatch(fetches kgo.Fetches) (b *batch, ok bool) {
	reach := s.reaches()
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok = &batch{}, true
	var groups []protocol.Group
	items := s.reuseItems(fetches.NumRecords())[:0]
	fetches.EachPartition(func(p kgo.FetchTopicPartition) {
		if len(p.Records) == 0 {
			return
		}
		a := s.assigned[key{p.Topic, p.Partition}]
		if a == nil {
			ok = false
			return
		}
		from := len(items)
		g := group{begins: p.LogStartOffset, Group: protocol.NewGroup(groups, a, a.Base)}
		begin := g.End
		for _, r := range p.Records {
			if g.Polled(r.Offset, reach(a)) && !r.Attrs.IsControl() {
				items = items[:len(items)+1]
				items[len(items)-1].record = r
			}
		}
		if g.End == begin && !g.Beyond {
			return
		}
		g.items = items[from:len(items):len(items)]
		g.Documents = documents(g.items)
		b.groups, groups = append(b.groups, g), append(groups, g.Group)
	})
	b.Batch = protocol.NewBatch(groups, len(items), s.intake)
	return b, ok
}

// judged is how many documents have a verdict.
func (b *batch) judged() (n uint64) {
	for i := range b.groups {
		for k := range b.groups[i].items {
			if b.groups[i].items[k].Judged {
				n++
			}
		}
	}
	return n
}

// overtaken returns a group whose partition lost what was to be read before it, if there is one.
func (b *batch) overtaken() *group {
	for i := range b.groups {
		if g := &b.groups[i]; g.Mode.Overtaken(g.Assignment, g.begins) {
			return g
		}
	}
	return nil
}

// reuseItems returns n items in the memory of those of the batch before.
func (s *Session) reuseItems(n int) []item {
	clear(s.items)
	if cap(s.items) < n {
		s.items = make([]item, n)
	}
	s.items = s.items[:n]
	return s.items
}

// sign decodes and signs all documents of the batch on all cores.
func (s *Session) sign(ctx context.Context, workers signing.Workers, b *batch) error {
	var chunks [][]item
	for i := range b.groups {
		for items := b.groups[i].items; len(items) > 0; {
			n := min(signing.Chunk, len(items))
			chunks = append(chunks, items[:n])
			items = items[n:]
		}
	}
	return workers.Each(ctx, len(chunks), func(ctx context.Context, w *signing.Worker, chunk int) error {
		for i := range chunks[chunk] {
			it := &chunks[chunk][i]
			if it.Judged {
				continue
			}
			refused, err := w.Sign(ctx, it.record, &it.Entry)
			if err != nil {
				return err
			}
			it.rejection, it.withheld, it.byBytes = refused.Rejection, refused.Withheld, refused.ByBytes
			it.Rejected, it.Withheld, it.Unchecked = !refused.Entry(), it.withheld != nil, refused.Unchecked
		}
		return nil
	})
}

// runs frames the documents of the batch that have no verdict yet. The values are good until the next call: the
// appender has let go of them by then.
func (s *Session) runs(b *batch) [][]byte {
	s.frames.reset()
	bounds := protocol.Bounds{Entries: journal.RunEntries, Bytes: journal.RunBytes}
	b.Runs(s.Log.Header(), bounds, func(_ *assignment, run *index.Run) { s.frames.add(run) })
	return s.frames.values
}

// frames are journal records as they are appended, one behind the other in the same memory, which serves again and
// again.
type frames struct {
	values [][]byte
	memory []byte
}

// keptFrames is the memory that stays from one batch to the next: some times what the documents of a poll_records ask
// for.
const keptFrames = 16 << 20

// reset begins anew. What was framed before must not be in use any more.
func (f *frames) reset() {
	clear(f.values)
	f.values, f.memory = f.values[:0], f.memory[:0]
	if cap(f.memory) > keptFrames {
		f.memory = nil
	}
}

func (f *frames) add(rec index.Record) {
	from := len(f.memory)
	f.memory = journal.Append(f.memory, rec) // where it moves, the values before stay where they were
	f.values = append(f.values, f.memory[from:len(f.memory):len(f.memory)])
}
