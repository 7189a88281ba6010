package topic

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/unpack"
)

// Past is what is read of records that are there already.
type Past struct {
	From time.Time // not before; the zero time is no bound
	Last int       // only so many, the newest by their timestamps; negative: all
	// Only says which records are meant, also of those that come. nil: all of them.
	Only func(*Record) bool
}

// Tail hands the committed records of topics to fn: those of the past, and then, with follow, those that come until
// ctx is done, in the partitions that the topics have when it begins. With Last the past is in the order of its
// timestamps; else each partition is in order.
func Tail(ctx context.Context, opts Options, past Past, follow bool, fn func(*Record) error, topics ...string) error {
	var ends kadm.Offsets
	last := &lastOf{n: max(0, past.Last)}
	for _, name := range topics {
		parts, err := Span{From: past.From}.partitions(ctx, opts, name)
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		for of, part := range parts {
			ends.AddOffset(name, of.Partition, part.To, -1)
		}
		take := past.meant(fn)
		if past.Last >= 0 {
			newest(parts, last.offsets())
			take = past.meant(last.take)
		}
		if err := read(ctx, opts, parts, func(r *Record) error {
			if r.Time.Before(past.From) {
				return nil
			}
			return take(r)
		}); err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
	}
	for _, r := range last.sorted() {
		if err := fn(r); err != nil {
			return err
		}
	}
	if !follow {
		return nil
	}
	client, err := open(opts, unpack.Entire(readBatch), kgo.ConsumePartitions(ends.KOffsets()), kgo.FetchMaxWait(200*time.Millisecond))
	if err != nil {
		return fmt.Errorf("open reader: %w", err)
	}
	reader := &Reader{client: client}
	defer reader.Close()
	for {
		if err := reader.Next(ctx, past.meant(fn)); errors.Is(err, context.Canceled) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func (p Past) meant(fn func(*Record) error) func(*Record) error {
	return func(r *Record) error {
		if p.Only != nil && !p.Only(r) {
			return nil
		}
		return fn(r)
	}
}

// lastOf keeps the newest records.
type lastOf struct {
	n    int
	kept []*Record
}

// offsets is how many offsets of a topic are read to find the newest records. Transactions end with a record of their
// own, which is none of them, and others were aborted, so it is several times as many; fewer are found where nearly
// all were aborted.
func (l *lastOf) offsets() int64 { return 3*int64(l.n) + 1000 }

func (l *lastOf) take(r *Record) error {
	if l.kept = append(l.kept, r); len(l.kept) >= 2*l.n+1000 {
		l.trim()
	}
	return nil
}

func (l *lastOf) trim() {
	slices.SortStableFunc(l.kept, func(a, b *Record) int { return a.Time.Compare(b.Time) })
	l.kept = slices.Delete(l.kept, 0, max(0, len(l.kept)-l.n))
}

func (l *lastOf) sorted() []*Record {
	l.trim()
	return l.kept
}
