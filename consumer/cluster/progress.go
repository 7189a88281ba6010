package cluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/unecho/unecho/consumer/protocol"
)

// Progress reads from the committed offsets of a group how far its backfill has come.
func Progress(ctx context.Context, admin *kadm.Client, group string, plan *protocol.Plan) (protocol.Progress, error) {
	done, err := admin.FetchOffsets(ctx, group)
	if err == nil {
		err = done.Error()
	}
	if err != nil && !errors.Is(err, kerr.GroupIDNotFound) { // a group that nobody has joined yet has committed nothing
		return protocol.Progress{}, fmt.Errorf("fetch committed offsets: %w", err)
	}
	return plan.Progress(func(r protocol.Range) protocol.Committed {
		c, ok := done.Lookup(r.Topic, r.Source.Partition)
		if !ok {
			return protocol.Committed{Offset: -1}
		}
		return protocol.NewCommitted(c.At, c.Metadata)
	}), nil
}
