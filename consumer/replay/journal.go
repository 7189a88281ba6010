package replay

import (
	"context"
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

// Apply applies the journal to a replica, from the offset at which the replica is up to end, where a record or a
// marker must stand before it. It calls fn after each record of the group, with what that record did. Both are valid
// during the call. journal.ErrLost says that members trimmed the journal beyond the replica meanwhile.
func (j *Journal) Apply(ctx context.Context, replica *index.Replica, end int64,
	fn func(rec index.Record, did *index.Effect) error,
) error {
	part := journal.Part{
		Options: j.Options, Topic: j.Topic, Params: j.Params, From: journal.Begin{Offset: replica.Next(), LeaderEpoch: -1}, End: end,
	}
	err := part.Follow(ctx, journal.Handler{
		ProducerTime: j.ProducerTime, Owner: j.Owner,
		Skip: func(at index.Stamp, _ int32, _ *journal.StrayError) error {
			replica.Skip(at)
			return nil
		},
		Apply: func(at index.Stamp, _ int32, rec index.Record) error {
			did := replica.Apply(at, rec)
			return fn(rec, &did)
		},
	})
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	return nil
}
