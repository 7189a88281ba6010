package replay

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/index"
)

// Journal is the journal that is replayed.
type Journal struct {
	Options      []kgo.Opt // how the cluster is reached
	Topic        string
	Params       journal.Params // how large its batches may be
	Owner        string         // the group to which it belongs
	ProducerTime bool           // it carries the appender's time, as that of an embedded broker does
}

// errEnd ends a replay at the offset where it was to end.
var errEnd = errors.New("replayed")

// Apply applies the journal to a replica, from the offset at which the replica is up to end, where a record or a
// marker must stand before it. It calls fn after each record of the group, with what that record did. Both are valid
// during the call. journal.ErrLost says that members trimmed the journal beyond the replica meanwhile.
func (j *Journal) Apply(ctx context.Context, replica *index.Replica, end int64,
	fn func(rec index.Record, did *index.Effect) error,
) error {
	if replica.Next() >= end {
		return nil
	}
	u := journal.NewUnpacker(j.Params)
	like, err := kgo.NewClient(j.Options...)
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	defer like.Close()
	from := journal.Place{Offset: replica.Next(), LeaderEpoch: -1}
	client, err := kgo.NewClient(append(append([]kgo.Opt{}, j.Options...),
		journal.FollowerOptions(j.Topic, from, u, like)...)...)
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	defer client.Close()
	err = journal.Follow(ctx, client, journal.Handler{
		From: from.Offset, Unpacker: u, ProducerTime: j.ProducerTime, Owner: j.Owner, Passed: func() {},
		Skip: func(at index.Stamp, _ int32, _ *journal.StrayError) error {
			replica.Skip(at)
			return ended(at, end)
		},
		Apply: func(at index.Stamp, _ int32, rec index.Record) error {
			did := replica.Apply(at, rec)
			if err := fn(rec, &did); err != nil {
				return err
			}
			return ended(at, end)
		},
	})
	if errors.Is(err, errEnd) {
		return nil
	}
	return err
}

func ended(at index.Stamp, end int64) error {
	if at.Offset+1 >= end {
		return errEnd
	}
	return nil
}
