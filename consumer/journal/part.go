package journal

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/index"
)

// Part is a part of a journal: from a place up to an offset before which a record or a marker stands.
type Part struct {
	Options []kgo.Opt // how the cluster is reached
	Topic   string
	Params  Params // how large its batches may be
	From    Begin
	End     int64
}

// errEnd ends reading at the end of a part.
var errEnd = errors.New("the part is read")

// Follow hands each record of the part to h, by clients of its own. It sets From, Unpacker and AllApplied of h.
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
	var read atomic.Int64
	apply, skip := h.Apply, h.Skip
	h.From, h.Unpacker, h.AllApplied = p.From.Offset, u, func() {}
	h.Apply = func(at index.Stamp, leaderEpoch int32, rec index.Record) error {
		read.Add(1)
		return p.after(at, apply(at, leaderEpoch, rec))
	}
	h.Skip = func(at index.Stamp, leaderEpoch int32, why *StrayError) error {
		read.Add(1)
		return p.after(at, skip(at, leaderEpoch, why))
	}
	ctx, cancel := context.WithCancel(ctx)
	var missing error
	var watching sync.WaitGroup
	watching.Go(func() {
		if missing = p.watch(ctx, like, &read); missing != nil {
			cancel()
		}
	})
	err = Follow(ctx, client, h)
	cancel()
	watching.Wait()
	switch {
	case errors.Is(err, errEnd):
		return nil
	case missing != nil:
		return missing
	}
	return err
}

// silence is how long nothing may come before the topic is looked for.
const silence = 2 * time.Second

// watch looks for the topic while nothing comes, until ctx is done: a client waits for ever for a topic that was deleted
// before it first asked.
func (p Part) watch(ctx context.Context, client *kgo.Client, read *atomic.Int64) error {
	for before := int64(-1); retry.Pause(ctx, silence) == nil; {
		now := read.Load()
		if now != before {
			before = now
			continue
		}
		_, err := broker.NewTopics(client, zerolog.Nop()).Describe(ctx, p.Topic)
		if err != nil && ctx.Err() == nil && !broker.Transient(err) {
			return err
		}
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
