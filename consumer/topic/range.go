package topic

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/index/entry"
)

// Range is a closed range of topics: parts of partitions. Before the end of each a record or a marker stands.
type Range map[entry.PartitionName]Part

// Part is the part [From, To) of a partition.
type Part struct{ From, To int64 }

// Offsets is how many offsets the range has.
func (r Range) Offsets() (n int64) {
	for _, p := range r {
		n += p.To - p.From
	}
	return n
}

// Reading is how a range is read.
type Reading struct {
	Options  Options // reach the cluster
	Unpacker *unpack.Unpacker
	More     []kgo.Opt // of the client that reads
	// Uncommitted has all records read, also markers and what is in no committed transaction.
	Uncommitted bool
	// Unread is called with what is in a batch that cannot be unpacked. Reading goes on behind it. nil: such a batch ends
	// reading.
	Unread func(Part) error
	// Told is called after each fetch with what is left, if there is anything. It may be nil.
	Told func(left Range) error
}

// Read hands the committed records of the range to fn, those of a partition in order, by a client of its own. It ends at
// fn's first error.
func (r Range) Read(ctx context.Context, by Reading, fn func(*kgo.Record) error) error {
	g := reading{Reading: by, left: Range{}, waiting: map[entry.PartitionName]*waiting{}, room: mostWaiting, fn: fn}
	var from kadm.Offsets
	for name, part := range r {
		if part.From < part.To {
			from.AddOffset(name.Topic, name.Partition, part.From, -1)
			g.left[name] = part
		}
	}
	if len(g.left) == 0 {
		return nil
	}
	client, err := open(by.Options, by.Unpacker, slices.Concat([]kgo.Opt{
		kgo.ConsumePartitions(from.KOffsets()), kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		// Without markers the end of a partition would not be noticed where its last records were aborted.
		kgo.KeepControlRecords(),
	}, by.More)...)
	if err != nil {
		return fmt.Errorf("open reader: %w", err)
	}
	defer client.Close()
	for {
		if err := g.poll(ctx, client); err != nil || len(g.left) == 0 {
			return err
		}
		if g.Told != nil {
			if err := g.Told(g.left); err != nil {
				return err
			}
		}
	}
}

// reading is the way through a range.
type reading struct {
	Reading
	left    Range
	waiting map[entry.PartitionName]*waiting
	room    int // bytes of records that may still wait
	fn      func(*kgo.Record) error
}

// silence is how long a fetch may bring nothing before the topics are looked for.
const silence = 2 * time.Second

// poll takes what one fetch brings.
func (g *reading) poll(ctx context.Context, client *kgo.Client) error {
	bound, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	fetches := client.PollFetches(bound)
	g.Unpacker.Polled(fetches)
	defer g.Unpacker.Done(fetches)
	for it := fetches.RecordIter(); !it.Done(); {
		if err := g.take(it.Next()); err != nil {
			return err
		}
	}
	for _, failed := range fetches.Errors() { // after the records that came with them
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		err := failed.Err
		if bound.Err() != nil && errors.Is(err, bound.Err()) {
			err = g.present(ctx, client)
		} else {
			err = g.trouble(client, &failed)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// present makes sure that the topics are there: the client would wait for ever for one that was deleted meanwhile.
func (g *reading) present(ctx context.Context, client *kgo.Client) error {
	names := map[string]bool{}
	for name := range g.left {
		names[name.Topic] = true
	}
	_, err := broker.NewTopics(client, zerolog.Nop()).Describe(ctx, slices.Sorted(maps.Keys(names))...)
	if err != nil && broker.Transient(err) {
		return nil
	}
	return err
}

// trouble goes on behind a batch that cannot be unpacked. It returns any other error.
func (g *reading) trouble(client *kgo.Client, failed *kgo.FetchError) error {
	var batch *kgo.ErrDecompressTooLarge
	switch {
	case errors.Is(failed.Err, unpack.ErrLater):
		return nil
	case g.Unread == nil || !errors.As(failed.Err, &batch):
		return fmt.Errorf("read %s/%d: %w", failed.Topic, failed.Partition, failed.Err)
	}
	name := entry.Name(batch.Topic, batch.Partition)
	part, ok := g.left[name]
	if !ok {
		return nil
	}
	client.SetOffsets(map[string]map[int32]kgo.EpochOffset{
		batch.Topic: {batch.Partition: {Epoch: batch.Epoch, Offset: batch.NextOffset}},
	})
	if err := g.Unread(Part{max(part.From, batch.Offset), min(part.To, batch.NextOffset)}); err != nil {
		return err
	}
	return g.reach(name, batch.NextOffset)
}

// take takes a record if its partition's end is not reached yet, and strikes the partition off when it is.
func (g *reading) take(r *kgo.Record) error {
	name := entry.Name(r.Topic, r.Partition)
	part, ok := g.left[name]
	if !ok || r.Offset < part.From {
		return nil // the client may bring it a second time, as when a partition gets another leader
	}
	if r.Offset < part.To {
		if err := g.give(name, r); err != nil {
			return err
		}
	}
	return g.reach(name, r.Offset+1)
}

// give hands a record to fn, at once or when its transaction has ended.
func (g *reading) give(name entry.PartitionName, r *kgo.Record) error {
	if g.Uncommitted {
		return g.fn(r)
	}
	w := g.waiting[name]
	if w == nil {
		w = &waiting{room: &g.room}
		g.waiting[name] = w
	}
	return w.take(r, g.fn)
}

// reach notes that a partition was read up to an offset. At its end the broker's word counts for what still waits.
func (g *reading) reach(name entry.PartitionName, offset int64) error {
	part := g.left[name]
	if g.left[name] = (Part{offset, part.To}); offset < part.To {
		return nil
	}
	delete(g.left, name)
	if w := g.waiting[name]; w != nil {
		return w.release(len(w.records), g.fn)
	}
	return nil
}

// waiting are records of a partition, in their order, behind one whose transaction has not ended for the reader.
//
// A broker names the aborted transactions to a reader of committed records, but not always all of them. Kafka up to
// 4.3.1 writes a wrong last stable offset into its index where a follower appends at once the end of a transaction,
// another transaction of the same producer and the beginning of one of another producer
// (ProducerStateManager.findNextIncompleteTxn). When that follower leads, it leaves the second transaction out of some
// answers. The marker at the end of a transaction always tells.
type waiting struct {
	records []awaited
	room    *int // bytes that may still wait, of all partitions; where there is none the broker's word counts
}

type awaited struct {
	*kgo.Record
	open, aborted bool
}

// mostWaiting is how many bytes of records wait, of all partitions that are read at a time.
const mostWaiting = 32 << 20

// take takes the next record of the partition, and hands out those that wait for nothing any more.
func (w *waiting) take(r *kgo.Record, fn func(*kgo.Record) error) error {
	if r.Attrs.IsControl() {
		for i := range w.records {
			if of := &w.records[i]; of.open && of.ProducerID == r.ProducerID {
				of.open, of.aborted = false, aborts(r)
			}
		}
	} else {
		w.records = append(w.records, awaited{Record: r, open: r.Attrs.IsTransactional()})
		*w.room -= size(r)
	}
	open := slices.IndexFunc(w.records, func(of awaited) bool { return of.open })
	if open < 0 || *w.room < 0 {
		open = len(w.records)
	}
	return w.release(open, fn)
}

// release hands out the first n records, but for the aborted ones.
func (w *waiting) release(n int, fn func(*kgo.Record) error) error {
	for _, of := range w.records[:n] {
		*w.room += size(of.Record)
		if of.aborted {
			continue
		}
		if err := fn(of.Record); err != nil {
			return err
		}
	}
	w.records = slices.Delete(w.records, 0, n)
	return nil
}

// size is roughly the memory of a record.
func size(r *kgo.Record) int { return len(r.Key) + len(r.Value) + 200 }

// aborts says whether a control record is the marker of an abort: its key is a version and a type, of two bytes each.
func aborts(r *kgo.Record) bool { return len(r.Key) >= 4 && r.Key[2] == 0 && r.Key[3] == 0 }
