package journal

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index"
)

// Part is a part of a journal: from a place up to an offset before which a record or a marker stands.
type Part struct {
	Options []kgo.Opt // how the cluster is reached
	Topic   string
	Params  Params // how large its batches may be
	From    Place
	End     int64
}

// errEnd ends reading at the end of a part.
var errEnd = errors.New("the part is read")

// Follow hands each record of the part to h, by clients of its own. It sets From, Unpacker and Passed of h.
func (p Part) Follow(ctx context.Context, h Handler) error {
	if p.From.Offset >= p.End {
		return nil
	}
	like, err := kgo.NewClient(p.Options...)
	if err != nil {
		return fmt.Errorf("open client: %w", err)
	}
	defer like.Close()
	u := NewUnpacker(p.Params)
	client, err := kgo.NewClient(append(append([]kgo.Opt{}, p.Options...), FollowerOptions(p.Topic, p.From, u, like)...)...)
	if err != nil {
		return fmt.Errorf("open client: %w", err)
	}
	defer client.Close()
	apply, skip := h.Apply, h.Skip
	h.From, h.Unpacker, h.Passed = p.From.Offset, u, func() {}
	h.Apply = func(at index.Stamp, leaderEpoch int32, rec index.Record) error {
		return p.after(at, apply(at, leaderEpoch, rec))
	}
	h.Skip = func(at index.Stamp, leaderEpoch int32, why *StrayError) error {
		return p.after(at, skip(at, leaderEpoch, why))
	}
	if err := Follow(ctx, client, h); !errors.Is(err, errEnd) {
		return err
	}
	return nil
}

// after ends reading if the record was the last.
func (p Part) after(at index.Stamp, err error) error {
	if err == nil && at.Offset+1 >= p.End {
		return errEnd
	}
	return err
}
