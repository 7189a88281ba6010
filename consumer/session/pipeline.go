package session

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/measure"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/signing"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/sink"
)

// pipeline is the memory of a batch, from one to the next, and the workers that fill it. A session has one for what it
// forwards. What is recorded after an outage has another.
type pipeline struct {
	*Setup
	unpacker *unpack.Unpacker // of the client that polls
	workers  signing.Workers
	out      *sink.Batch
	records  []kgo.Record
	items    []item
	frames   frames // of its entries
	counted  measure.Batch
}

func newPipeline(setup *Setup, u *unpack.Unpacker) (*pipeline, error) {
	workers, err := signing.NewWorkers(setup.Signing(), u)
	if err != nil {
		return nil, err
	}
	return &pipeline{Setup: setup, unpacker: u, workers: workers, out: setup.Encoder.NewBatch()}, nil
}

// renew has it begin with another client. The client before may still hold what it was given.
func (p *pipeline) renew() {
	p.unpacker = p.unpacker.Renew()
	p.out, p.records = p.Encoder.NewBatch(), nil
}

// sort sorts the polled records by partition. Each partition of which documents are wanted has an assignment and the
// offset from which on; those at its reach or beyond are polled again.
func (p *pipeline) sort(fetches kgo.Fetches, of func(protocol.PartitionName) (a *assignment, from int64),
	reach func(*assignment) int64,
) (*batch, protocol.Fetch) {
	b := &batch{pipeline: p, fetches: fetches, began: time.Now()}
	f := protocol.Fetch{Records: fetches.NumRecords()}
	items := p.reuseItems(f.Records)[:0]
	fetches.EachPartition(func(part kgo.FetchTopicPartition) {
		if len(part.Records) == 0 {
			return
		}
		a, after := of(protocol.PartitionName{Topic: part.Topic, Partition: part.Partition})
		if a == nil {
			f.Stray = true
			return
		}
		from := len(items)
		g := group{Group: protocol.NewGroup(f.Groups, a, after)}
		g.Begins = part.LogStartOffset
		begin, to := g.End, reach(a)
		for _, r := range part.Records {
			if g.Polled(r.Offset, to) && !r.Attrs.IsControl() {
				items = items[:len(items)+1]
				it := &items[len(items)-1]
				it.record, it.Entry.Offset, it.Entry.Time = r, r.Offset, r.Timestamp.UnixMilli()
			}
		}
		if g.End == begin && !g.Beyond {
			return
		}
		g.items = items[from:len(items):len(items)]
		g.Documents = documents(g.items)
		b.groups, f.Groups = append(b.groups, g), append(f.Groups, g.Group)
	})
	f.Size = len(items)
	return b, f
}

// reuseItems returns n items in the memory of those of the batch before.
func (p *pipeline) reuseItems(n int) []item {
	clear(p.items)
	if cap(p.items) < n {
		p.items = make([]item, n)
	}
	p.items = p.items[:n]
	return p.items
}

// sign decodes and signs all documents of the batch on all cores.
func (p *pipeline) sign(ctx context.Context, b *batch) error {
	var chunks [][]item
	for i := range b.groups {
		for items := b.groups[i].items; len(items) > 0; {
			n := min(signing.Chunk, len(items))
			chunks = append(chunks, items[:n])
			items = items[n:]
		}
	}
	return p.workers.Each(ctx, len(chunks), func(ctx context.Context, w *signing.Worker, chunk int) error {
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
func (p *pipeline) runs(b *batch) [][]byte {
	p.frames.reset()
	bounds := protocol.Bounds{Entries: journal.RunEntries, Bytes: journal.RunBytes}
	b.Runs(p.Log.Header(), bounds, func(_ *assignment, run *index.Run) { p.frames.add(run) })
	return p.frames.values
}

// forgets frames what is to be forgotten, as runs does.
func (p *pipeline) forgets(b *batch) [][]byte {
	p.frames.reset()
	for _, f := range b.Forgets() {
		p.frames.add(f)
	}
	return p.frames.values
}

// append appends what the batch wants in the journal.
func (p *pipeline) append(ctx context.Context, b *batch) error {
	var values [][]byte
	if b.Wants() == protocol.WantEntries {
		values = p.runs(b)
		if err := p.Log.BeforeRepeat(ctx, b.Appends()); err != nil {
			return err
		}
	} else {
		values = p.forgets(b)
	}
	last, err := p.Log.Put(ctx, values...)
	if err == nil {
		b.Appended(last)
	}
	return err
}

// await waits until the replica has applied what the batch wants it to.
func (p *pipeline) await(ctx context.Context, b *batch) error {
	err := p.Replica.Wait(ctx, b.Until()-1)
	if err == nil {
		b.Passed()
	}
	return err
}

// rest lets go of a batch.
func (p *pipeline) rest(fetches kgo.Fetches) {
	clear(p.items)
	clear(p.records)
	p.out.Reset()
	p.workers.Rest()
	p.unpacker.Done(fetches)
}
