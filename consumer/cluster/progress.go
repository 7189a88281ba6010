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
	return plan.Progress(func(r protocol.Range) protocol.Committed {
		c, ok := done.Lookup(r.Topic, r.Source.Partition)
		if !ok {
			return protocol.Committed{Offset: -1}
		}
		return protocol.NewCommitted(c.At, c.Metadata)
	}), nil
}
