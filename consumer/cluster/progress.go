package cluster

import (
	"context"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/protocol"
)

// Progress reads from the committed offsets of a group how far its backfill has come.
func Progress(ctx context.Context, admin *kadm.Client, group string, plan *protocol.Plan) (protocol.Progress, error) {
	done, err := broker.Committed(ctx, admin, group)
	if err != nil {
		return protocol.Progress{}, err
	}
	return ProgressBy(done, plan), nil
}

// ProgressBy is how far a backfill has come by what its group has committed.
func ProgressBy(done kadm.OffsetResponses, plan *protocol.Plan) protocol.Progress {
	return plan.Progress(func(r protocol.Range) protocol.Committed { return Committed(done, r.Topic, r.Source.Partition) })
}

// Committed is what was committed of a partition; its offset is -1 if nothing was.
func Committed(of kadm.OffsetResponses, topic string, partition int32) protocol.Committed {
	if c, ok := of.Lookup(topic, partition); ok {
		return protocol.NewCommitted(c.At, c.Metadata)
	}
	return protocol.Committed{Offset: -1}
}
