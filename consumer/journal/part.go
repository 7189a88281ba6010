package journal

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// Part is a part of a journal: from a place up to an offset before which a record or a marker stands.
type Part struct {
	Options []kgo.Opt // how the cluster is reached
	Topic   string
	Params  Params // how large its batches may be
	From    Begin
	End     int64
}

// Read hands each record of the part to fn, valid during the call, by a client of its own. Why is set for a stray, which
// members pass over.
func (p Part) Read(ctx context.Context, by Reader, fn func(at index.Stamp, rec index.Record, why *StrayError) error) error {
	take := func(r *kgo.Record) error {
		at, rec, err := by.Read(r)
		var why *StrayError
		if err != nil && !errors.As(err, &why) {
			return fmt.Errorf("record %d: %w", r.Offset, err)
		}
		return fn(at, rec, why)
	}
	err := topic.Range{entry.Name(p.Topic, 0): {From: p.From.Offset, To: p.End}}.Read(ctx, topic.Reading{
		Options: p.Options, Unpacker: NewUnpacker(p.Params), More: followerOptions(p.Topic, p.From), Uncommitted: true,
		Unread: func(from int64, batch *kgo.ErrDecompressTooLarge) error { return blanks(from, batch, take) },
	}, take)
	if lost(err) {
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	return err
}
