package topic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
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
	err = read(ctx, opts, topic, parts, func(r *Record) error {
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
	err = read(ctx, opts, topic, []part{{partition, offset, offset + 1}}, func(r *Record) error {
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
	if err := read(ctx, opts, topic, []part{{partition, from, to}}, fn); err != nil {
		return fmt.Errorf("read %s: %w", topic, err)
	}
	return nil
}

// read hands the committed records of parts of a topic to fn, which may keep them.
func read(ctx context.Context, opts Options, topic string, parts []part, fn func(*Record) error) error {
	from := map[int32]kgo.Offset{}
	left := map[int32]int64{} // the end of each partition that is not reached yet
	for _, p := range parts {
		if p.from < p.to {
			from[p.number], left[p.number] = kgo.NewOffset().At(p.from), p.to
		}
	}
	if len(left) == 0 {
		return nil
	}
	// Markers of transactions are read, too: without them the end of a partition would not be noticed if its last records
	// were aborted.
	client, err := open(opts, readBatch, kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: from}),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()), kgo.KeepControlRecords())
	if err != nil {
		return fmt.Errorf("open reader: %w", err)
	}
	defer client.Close()
	for len(left) > 0 {
		if err := readSome(ctx, client, topic, left, fn); err != nil {
			return err
		}
	}
	return nil
}

// silence is how long a fetch may bring nothing before the topic is looked for.
const silence = 2 * time.Second

// readSome hands on what one fetch brings, and removes the partitions whose end it reaches from left. If a fetch brings
// nothing, the topic is looked for: the client would wait for ever for one that was deleted meanwhile.
func readSome(ctx context.Context, client *kgo.Client, topic string, left map[int32]int64,
	fn func(*Record) error,
) error {
	waiting, enough := context.WithTimeout(ctx, silence)
	defer enough()
	fetches := client.PollFetches(waiting)
	switch err := fetches.Err(); {
	case err != nil && ctx.Err() == nil && errors.Is(err, waiting.Err()):
		_, err := broker.NewTopics(client, zerolog.Nop()).Describe(ctx, topic)
		if err != nil && broker.Transient(err) {
			return nil
		}
		return err
	case err != nil:
		return err
	}
	for it := fetches.RecordIter(); !it.Done(); {
		k := it.Next()
		end, ok := left[k.Partition]
		if !ok {
			continue
		}
		if k.Offset+1 >= end {
			delete(left, k.Partition)
		}
		if k.Attrs.IsControl() || k.Offset >= end {
			continue
		}
		if err := fn(recordOf(k)); err != nil {
			return err
		}
	}
	return nil
}

// holds says whether a time is in the span. Every record is asked, because timestamps need not rise with offsets.
func (s Span) holds(t time.Time) bool {
	return (s.From.IsZero() || !t.Before(s.From)) && (s.To.IsZero() || t.Before(s.To))
}

type part struct {
	number   int32
	from, to int64
}

// partitions returns the part to read of each partition: from the first record that is not too old, up to the last that
// is committed.
func (s Span) partitions(ctx context.Context, opts Options, topic string) ([]part, error) {
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
	var parts []part
	ends.Each(func(end kadm.ListedOffset) {
		if start, ok := starts.Lookup(topic, end.Partition); ok {
			parts = append(parts, part{end.Partition, start.Offset, end.Offset})
		}
	})
	return parts, nil
}

// newest moves the beginnings of parts up until no more than n offsets are left. Parts with few offsets keep them, and
// the others share the rest.
func newest(parts []part, n int64) {
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.to-a.from, b.to-b.from), cmp.Compare(a.number, b.number))
	})
	for i := range parts {
		p := &parts[i]
		share := min(max(0, p.to-p.from), n/int64(len(parts)-i))
		p.from = p.to - share
		n -= share
	}
}
