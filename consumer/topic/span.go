package topic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/index/entry"
)

// Span is a part of a topic.
type Span struct {
	From, To time.Time // bounds of the records' timestamps, To excluded; the zero time is no bound
	// Last is how many of those records are read at most, the newest ones, as evenly from the partitions as they have
	// them. 0: all.
	Last int64
}

// ReadSpan hands the committed records of a span to fn, those of a partition in order. It stops at fn's first error, or
// where the topic ended when ReadSpan began. Last counts offsets: if some are transaction markers or compacted, fn gets
// as many records less.
func ReadSpan(ctx context.Context, opts Options, topic string, span Span, fn func(*Record) error) error {
	parts, err := span.partitions(ctx, opts, topic)
	if err != nil {
		return fmt.Errorf("read %s: %w", topic, err)
	}
	if span.Last > 0 {
		newest(parts, span.Last)
	}
	err = read(ctx, opts, parts, func(r *Record) error {
		if !span.holds(r.Time) {
			return nil
		}
		return fn(r)
	})
	if err != nil {
		return fmt.Errorf("read %s: %w", topic, err)
	}
	return nil
}

// ReadAt reads the record at an offset of a partition. ErrNoRecord says that there is none: it was deleted by retention
// or compaction, or is not written or not committed yet.
func ReadAt(ctx context.Context, opts Options, topic string, partition int32, offset int64) (*Record, error) {
	fail := func(err error) (*Record, error) {
		return nil, fmt.Errorf("read %s/%d/%d: %w", topic, partition, offset, err)
	}
	from, to, err := Extent(ctx, opts, topic, partition)
	if err != nil {
		return fail(err)
	}
	if offset < from || to <= offset {
		return fail(ErrNoRecord)
	}
	var found *Record
	err = read(ctx, opts, Range{entry.Name(topic, partition): {offset, offset + 1}}, func(r *Record) error {
		found = r
		return nil
	})
	if err != nil {
		return fail(err)
	}
	if found == nil {
		return fail(ErrNoRecord)
	}
	return found, nil
}

// Extent returns the first offset of a partition, and the one behind the last committed record. Both are 0 if the
// partition is missing. The other partitions of the topic do not matter.
func Extent(ctx context.Context, opts Options, topic string, partition int32) (from, to int64, err error) {
	client, err := reach(ctx, opts, topic)
	if err != nil {
		return 0, 0, err
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	start, err := broker.OffsetOf(ctx, admin.ListStartOffsets, topic, partition)
	if errors.Is(err, broker.ErrNoPartition) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	end, err := broker.OffsetOf(ctx, admin.ListCommittedOffsets, topic, partition)
	if err != nil {
		return 0, 0, err
	}
	return start.Offset, end.Offset, nil
}

// ReadPart hands the committed records of a partition from one offset up to another to fn, which may keep them.
func ReadPart(ctx context.Context, opts Options, topic string, partition int32, from, to int64,
	fn func(*Record) error,
) error {
	if err := read(ctx, opts, Range{entry.Name(topic, partition): {from, to}}, fn); err != nil {
		return fmt.Errorf("read %s: %w", topic, err)
	}
	return nil
}

// read hands the committed records of parts of a topic to fn, which may keep them.
func read(ctx context.Context, opts Options, parts Range, fn func(*Record) error) error {
	return parts.Read(ctx, Reading{Options: opts, Unpacker: unpack.Entire(readBatch)},
		func(r *kgo.Record) error { return fn(recordOf(r)) })
}

// holds says whether a time is in the span. Every record is asked, because timestamps need not rise with offsets.
func (s Span) holds(t time.Time) bool {
	return (s.From.IsZero() || !t.Before(s.From)) && (s.To.IsZero() || t.Before(s.To))
}

// partitions returns the part to read of each partition: from the first record that is not too old, up to the last that
// is committed.
func (s Span) partitions(ctx context.Context, opts Options, topic string) (Range, error) {
	client, err := reach(ctx, opts, topic)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	list := broker.Listing(admin.ListStartOffsets)
	if !s.From.IsZero() {
		list = broker.After(admin, s.From)
	}
	starts, err := broker.AllOffsets(ctx, list, topic)
	if err != nil {
		return nil, err
	}
	ends, err := broker.AllOffsets(ctx, admin.ListCommittedOffsets, topic)
	if err != nil {
		return nil, err
	}
	parts := Range{}
	ends.Each(func(end kadm.ListedOffset) {
		if start, ok := starts.Lookup(topic, end.Partition); ok {
			parts[entry.Name(topic, end.Partition)] = Part{start.Offset, end.Offset}
		}
	})
	return parts, nil
}

// newest moves the beginnings of parts up until no more than n offsets are left. Parts with few offsets keep them, and
// the others share the rest.
func newest(parts Range, n int64) {
	names := slices.SortedFunc(maps.Keys(parts), func(a, b entry.PartitionName) int {
		return cmp.Or(cmp.Compare(parts[a].To-parts[a].From, parts[b].To-parts[b].From), a.Compare(b))
	})
	for i, name := range names {
		p := parts[name]
		share := min(max(0, p.To-p.From), n/int64(len(names)-i))
		parts[name] = Part{p.To - share, p.To}
		n -= share
	}
}

// ErrOther says that a topic was deleted and created again since: what stands there is another record.
var ErrOther = errors.New("the topic was deleted and created again since")

// oneFetch bounds what a fetch of one record asks for. A broker sends a whole batch in any case.
const oneFetch = 64 << 10

// ReadOne reads the record at an offset of a partition of the topic with this id, by one fetch of a client of its
// own. What it takes in memory is bounded: a batch that unpacks to more than most bytes is an error. ErrNoRecord says
// that there is no record, ErrOther that the topic is another one. The caller bounds the time by ctx.
func ReadOne(ctx context.Context, opts Options, topic string, id [16]byte, partition int32, offset int64,
	most int,
) (*Record, error) {
	r, err := readOne(ctx, opts, topic, id, partition, offset, most)
	if err != nil {
		return nil, fmt.Errorf("read %s/%d/%d: %w", topic, partition, offset, err)
	}
	return r, nil
}

func readOne(ctx context.Context, opts Options, topic string, id [16]byte, partition int32, offset int64,
	most int,
) (*Record, error) {
	at := map[string]map[int32]kgo.Offset{topic: {partition: kgo.NewOffset().At(offset)}}
	client, err := open(opts, unpack.Entire(most), kgo.ConsumePartitions(at), kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.KeepControlRecords(), kgo.FetchMaxBytes(oneFetch), kgo.FetchMaxPartitionBytes(oneFetch),
		kgo.MaxConcurrentFetches(1))
	if err != nil {
		return nil, err
	}
	defer client.Close()
	if err := sameTopic(ctx, client, topic, id); err != nil {
		return nil, err
	}
	for {
		fetches := client.PollRecords(ctx, 1)
		if err := fetches.Err(); errors.Is(err, kerr.OffsetOutOfRange) {
			return nil, ErrNoRecord
		} else if err != nil {
			return nil, err
		}
		for it := fetches.RecordIter(); !it.Done(); {
			k := it.Next()
			if k.Offset != offset || k.Attrs.IsControl() {
				return nil, ErrNoRecord
			}
			return recordOf(k), nil
		}
	}
}

// sameTopic says whether the topic of a name still has the id.
func sameTopic(ctx context.Context, client *kgo.Client, topic string, id [16]byte) error {
	there, err := kadm.NewClient(client).ListTopics(ctx, topic)
	if err != nil {
		return err
	}
	d, ok := there[topic]
	switch {
	case !ok || errors.Is(d.Err, kerr.UnknownTopicOrPartition):
		return ErrNoRecord
	case d.Err != nil:
		return d.Err
	case [16]byte(d.ID) != id:
		return ErrOther
	}
	return nil
}
