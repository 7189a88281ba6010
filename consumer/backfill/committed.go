package backfill

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
)

// AwaitCommitted waits until all that stands in topics now can be read by who reads committed records only. See
// broker.AwaitCommitted. The options reach the cluster.
func AwaitCommitted(ctx context.Context, options []kgo.Opt, topics ...string) error {
	client, err := kgo.NewClient(options...)
	if err != nil {
		return fmt.Errorf("open client: %w", err)
	}
	defer client.Close()
	return broker.AwaitCommitted(ctx, kadm.NewClient(client), topics...)
}
