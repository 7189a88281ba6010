package pipeline

import (
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/measure"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/outputs"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/signing"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/sink"
)

// Setup is what a pipeline needs. It does not change.
type Setup struct {
	Signing  *signing.Setup
	Log      *journal.Log
	Replica  *member.Follower
	Clock    *outputs.Clock
	DryRun   bool // nothing is produced
	Counters *measure.Counters
	Logger   zerolog.Logger
}

// Pipeline is the memory of a batch, from one to the next, and the workers that fill it. It has one batch at a time.
type Pipeline struct {
	*Setup
	Unpacker *unpack.Unpacker // of the client that polls
	workers  signing.Workers
	out      *sink.Batch
	records  []kgo.Record
	items    []item
	frames   frames // of its entries
	counted  measure.Batch
}

// New makes a pipeline.
func New(setup *Setup, u *unpack.Unpacker) (*Pipeline, error) {
	workers, err := signing.NewWorkers(setup.Signing, u)
	if err != nil {
		return nil, err
	}
	return &Pipeline{Setup: setup, Unpacker: u, workers: workers, out: setup.Signing.Encoder.NewBatch()}, nil
}

// Renew has it begin with another client. The client before may still hold what it was given.
func (p *Pipeline) Renew() {
	p.Unpacker = p.Unpacker.Renew()
	p.out, p.records = p.Signing.Encoder.NewBatch(), nil
}

// Sort sorts the polled records by partition. Each partition of which documents are wanted has an assignment and the
// offset from which on; those at its reach or beyond are polled again.
func (p *Pipeline) Sort(fetches kgo.Fetches, of func(protocol.PartitionName) (a *protocol.Assignment, from int64),
	reach func(*protocol.Assignment) int64,
) (*Batch, protocol.Fetch) {
	b := &Batch{pipeline: p, fetches: fetches, began: time.Now()}
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
func (p *Pipeline) reuseItems(n int) []item {
	clear(p.items)
	if cap(p.items) < n {
		p.items = make([]item, n)
	}
	p.items = p.items[:n]
	return p.items
}
