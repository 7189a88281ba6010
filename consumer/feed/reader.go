package feed

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/protocol/feeding"
	"github.com/unecho/unecho/consumer/signing"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// reader reads the ranges of a merge, signs their documents and queues the entries.
type reader struct {
	*Setup
	merge     *feeding.Merge
	client    *kgo.Client
	unpacker  *unpack.Unpacker
	workers   signing.Workers
	numbers   map[entry.PartitionName]int // of the ranges
	paused    []bool                      // ranges that are not read now
	records   []*kgo.Record               // of the documents
	documents []feeding.Document
	fruitful  time.Time // when a poll brought records, or somebody asked what is left
}

// signedAtOnce is how many documents are signed before their entries are queued, so that few of them lie in the
// memory of the workers. A poll may bring a hundred times as many.
const signedAtOnce = 4096

func newReader(s *Setup, u *unpack.Unpacker, workers signing.Workers, m *feeding.Merge) (*reader, error) {
	r := &reader{
		Setup: s, merge: m, unpacker: u, workers: workers, numbers: map[entry.PartitionName]int{}, paused: make([]bool, len(s.Plan.Ranges)),
		records: make([]*kgo.Record, 0, signedAtOnce), documents: make([]feeding.Document, 0, signedAtOnce),
		fruitful: time.Now(),
	}
	for i, of := range s.Plan.Ranges {
		r.numbers[entry.Name(of.Topic, of.Source.Partition)] = i
	}
	client, err := kgo.NewClient(r.options()...)
	if err != nil {
		return nil, fmt.Errorf("open feeder: %w", err)
	}
	r.client = client
	return r, nil
}

// fetchWait is how long a broker may wait for documents before it answers. All documents of a plan are there, so it
// waits only where what is read does not belong to the plan any more.
const fetchWait = 100 * time.Millisecond

func (r *reader) options() []kgo.Opt {
	var at kadm.Offsets
	for i, of := range r.Plan.Ranges {
		if r.merge.Exhausted(i) {
			r.paused[i] = true
			continue
		}
		at.AddOffset(of.Topic, of.Source.Partition, r.merge.Position(i), -1)
	}
	return append(slices.Concat(r.Cluster.Options, r.unpacker.Options(r.Cluster.Client), unpack.SourceOptions(r.FetchBytes)),
		kgo.ConsumePartitions(at.KOffsets()),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.FetchMaxWait(fetchWait),
		kgo.FetchMaxPartitionBytes(int32(min(r.FetchBytes, unpack.PartitionBytes, max(2*r.quota().Range, leastFetch)))),
	)
}

// leastFetch is how much of a partition one fetch may always bring. A partition that is not read any more loses what was
// fetched of it and not polled.
const leastFetch = 64 << 10

// pollWait is how long a poll waits for documents, and so how long finished entries may wait for a full record.
const pollWait = 250 * time.Millisecond

// poll reads on where the merge needs it, and queues what comes.
func (r *reader) poll(ctx context.Context) error {
	r.balance()
	polling := time.Now()
	wait, cancel := context.WithTimeout(ctx, pollWait)
	defer cancel()
	fetches := r.client.PollFetches(wait)
	r.unpacker.Polled(fetches)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := r.troubled(fetches, polling); err != nil {
		return err
	}
	err := r.sign(ctx, fetches)
	r.workers.Rest()
	r.unpacker.Done(fetches)
	if err == nil {
		r.skipEmpty(ctx, fetches.NumRecords() == 0)
	}
	return err
}

// skipEmpty passes over what compaction has deleted of the ranges that are read, if nothing has come for a while.
func (r *reader) skipEmpty(ctx context.Context, nothing bool) {
	now := time.Now()
	if nothing && now.Sub(r.fruitful) < protocol.EmptyPatience {
		return
	}
	r.fruitful = now
	for i, of := range r.Plan.Ranges {
		if !nothing || r.paused[i] || r.merge.Exhausted(i) {
			continue
		}
		topics := broker.NewTopics(r.Cluster.Client, r.Logger)
		if topics.Empty(ctx, r.unpacker.Renew(), of.Topic, of.Source.Partition, r.merge.Position(i), of.To) {
			r.merge.Add(i, nil, of.To)
		}
	}
}

// balance leaves ranges alone that have enough entries queued, or are read, and goes on with those that need more.
func (r *reader) balance() {
	pause, resume := map[string][]int32{}, map[string][]int32{}
	quota := r.quota()
	for i, of := range r.Plan.Ranges {
		rests := r.merge.Rests(i, r.paused[i], quota)
		if rests == r.paused[i] {
			continue
		}
		r.paused[i] = rests
		list := resume
		if rests {
			list = pause
		}
		list[of.Topic] = append(list[of.Topic], of.Source.Partition)
	}
	r.client.PauseFetchPartitions(pause) // which does nothing if the map is empty
	if len(resume) > 0 {
		r.client.ResumeFetchPartitions(resume)
	}
}

// sign signs what was polled and queues it, piece by piece.
func (r *reader) sign(ctx context.Context, fetches kgo.Fetches) (err error) {
	fetches.EachPartition(func(p kgo.FetchTopicPartition) {
		number, ours := r.numbers[entry.Name(p.Topic, p.Partition)]
		if !ours || len(p.Records) == 0 || err != nil {
			return
		}
		if err = r.whole(number, &p); err != nil {
			return
		}
		for records := p.Records; len(records) > 0 && err == nil; {
			n := min(signedAtOnce, len(records))
			err = r.signSome(ctx, number, records[:n])
			records = records[n:]
		}
	})
	return err
}

// signSome signs consecutive records of a range and queues them.
func (r *reader) signSome(ctx context.Context, number int, records []*kgo.Record) error {
	r.records, r.documents = r.records[:0], r.documents[:0]
	for _, record := range records {
		if !record.Attrs.IsControl() && record.Offset < r.Plan.Ranges[number].To && !r.isCopy(record) {
			r.records, r.documents = append(r.records, record), append(r.documents, feeding.Document{})
		}
	}
	chunks := (len(r.documents) + signing.Chunk - 1) / signing.Chunk
	err := r.workers.Each(ctx, chunks, func(ctx context.Context, w *signing.Worker, chunk int) error {
		from := chunk * signing.Chunk
		for i := from; i < min(from+signing.Chunk, len(r.documents)); i++ {
			d := &r.documents[i]
			refused, err := w.Sign(ctx, r.asRead(r.records[i]), &d.Entry)
			if err != nil {
				return err
			}
			d.Offset, d.Rejected = r.records[i].Offset, !refused.Entry()
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.merge.Add(number, r.documents, records[len(records)-1].Offset+1)
	clear(r.records)
	clear(r.documents)
	return nil
}

// asRead returns a record as the group read it, or would: what stands in a topic of unique documents is of the place
// that it came from. By its topic documents may be read and told apart (sources, and sources.scope), and by its
// place they may be named.
func (r *reader) asRead(record *kgo.Record) *kgo.Record {
	if r.Fill == 0 || r.Reads(record.Topic) {
		return record
	}
	source, _ := sink.LastHeader(record.Headers, sink.HeaderSource)
	if name, offset, ok := sink.ParseCoordinates(string(source)); ok && r.Reads(name.Topic) {
		of := *record
		of.Topic, of.Partition, of.Offset = name.Topic, name.Partition, offset
		return &of
	}
	return record
}

// isCopy says that a record is a duplicate in the topic of a group whose unique documents and duplicates share one.
// A duplicate is nothing to be remembered, and is not read.
func (r *reader) isCopy(record *kgo.Record) bool {
	if r.Fill == 0 || r.Reads(record.Topic) {
		return false
	}
	verdict, _ := sink.LastHeader(record.Headers, sink.HeaderVerdict)
	return string(verdict) == sink.Duplicate
}

func (r *reader) close() { r.client.Close() }
